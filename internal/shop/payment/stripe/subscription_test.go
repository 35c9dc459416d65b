package stripe_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"stoa/internal/shop/payment"
	"stoa/internal/testkit/stripetest"
)

// A subscription that is to end may be ended again after that was taken back, so no key of ours may have
// Stripe answer from memory.
func TestASubscriptionEndsWithItsPeriod(t *testing.T) {
	t.Parallel()

	s, srv := account(t)
	ref := payment.Reference{Subscription: "sub_1"}
	answer := func(status int, body any) {
		srv.Answer(func(stripetest.Request) *stripetest.Answer { return &stripetest.Answer{Status: status, Body: body} })
	}
	sub := object{"id": "sub_1", "object": "subscription", "cancel_at_period_end": true}
	answer(http.StatusOK, with(sub, object{"canceled_at": at.Unix()}))
	if noted, err := s.EndLater(t.Context(), ref); err != nil || !noted.Equal(at) {
		t.Errorf("EndLater = %s, %v; want Stripe's own time, %s", noted, err, at)
	}
	got := oneRequest(t, srv, "/v1/subscriptions/sub_1")
	wantForm(t, got, map[string]string{"cancel_at_period_end": "true"})
	answer(http.StatusOK, sub)
	if noted, err := s.EndLater(t.Context(), ref); err != nil || !noted.Equal(time.Time{}) {
		t.Errorf("without a time: EndLater = %s, %v", noted, err)
	}
	if again := srv.Requests("/v1/subscriptions/sub_1")[1]; again.IdempotencyKey == got.IdempotencyKey {
		t.Errorf("both requests have the key %q", got.IdempotencyKey)
	}

	gone := failure(http.StatusNotFound, "resource_missing")
	answer(gone.Status, gone.Body)
	if _, err := s.EndLater(t.Context(), ref); !errors.Is(err, payment.ErrRefused) {
		t.Errorf("a subscription that is gone: %v, want ErrRefused", err)
	}
	if _, err := s.EndLater(t.Context(), payment.Reference{Payment: "pi_1"}); !errors.Is(err, payment.ErrRefused) {
		t.Errorf("no subscription: %v, want ErrRefused", err)
	}
	away := failure(http.StatusUnauthorized, "")
	answer(away.Status, away.Body)
	if _, err := s.EndLater(t.Context(), ref); err == nil || errors.Is(err, payment.ErrRefused) {
		t.Errorf("an outage: %v, want an error that is not ErrRefused", err)
	}
}
