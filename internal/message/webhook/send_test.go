package webhook_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"stoa/internal/base/event"
	"stoa/internal/message/delivery"
	"stoa/internal/message/webhook"
)

var queryAll = delivery.Query{Limit: 1000}

// signedBy reports whether the public library of Standard Webhooks takes a message.
func signedBy(t *testing.T, m request, secret string) bool {
	t.Helper()
	w, err := standard.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return w.VerifyIgnoringTimestamp([]byte(m.body), m.header) == nil // the test's clock is not the system's
}

func TestAMessageIsAStandardWebhook(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	id, secret := s.create(t, "order.*")
	e := event.Published(opened, "order.paid", json.RawMessage(`{"orderId":"o1"}`))
	s.clock.Advance(time.Minute)
	if r := s.sender.Send(t.Context(), s.to(t, id, e)); !r.OK() || r.Status != http.StatusNoContent {
		t.Errorf("result = %+v", r)
	}
	m := s.got[0]
	var body map[string]any
	if err := json.Unmarshal([]byte(m.body), &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"id": e.ID, "type": "order.paid", "occurredAt": "2030-03-01T12:00:00.000Z", "timestamp": "2030-03-01T12:00:00.000Z",
		"data": map[string]any{"orderId": "o1"},
	}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	header := map[string]string{
		"Webhook-Id": e.ID, "Webhook-Timestamp": strconv.FormatInt(opened.Add(time.Minute).Unix(), 10),
		"Content-Type": "application/json", "User-Agent": "stoa/test", "Traceparent": "",
	}
	for name, want := range header {
		if got := m.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if m.url != "https://erp.example/in?key=1" || !signedBy(t, m, secret) {
		t.Errorf("to %s, signed %s: the public library refuses it", m.url, m.header.Get("Webhook-Signature"))
	}
	m.body += " "
	if signedBy(t, m, secret) {
		t.Error("the signature does not cover the body")
	}
}

func TestBothSecretsSignForADay(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	id, old := s.create(t, "order.*")
	w, next, err := s.RotateSecret(t.Context(), id)
	if err != nil || next == old || !w.PreviousUntil.Equal(opened.Add(webhook.SecretOverlap)) {
		t.Fatalf("rotated: %v, the old one signs until %s", err, w.PreviousUntil)
	}
	for _, tt := range []struct {
		after time.Duration
		old   bool
	}{{webhook.SecretOverlap - time.Millisecond, true}, {time.Millisecond, false}} {
		s.clock.Advance(tt.after)
		s.try(t, id)
		m := s.got[len(s.got)-1]
		if signedBy(t, m, old) != tt.old || !signedBy(t, m, next) {
			t.Errorf("at %s: signature %s, want one by the old secret: %v", s.clock.Now(),
				m.header.Get("Webhook-Signature"), tt.old)
		}
	}
}

func TestResultsOfAnAttempt(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name   string
		status int
		header http.Header
		answer string
		refuse error
		want   delivery.Result
	}{
		{"taken", 200, nil, "thanks", nil, delivery.Result{Status: 200, Response: "thanks"}},
		{
			"a long answer", 202, nil, strings.Repeat("x", 1<<20), nil,
			delivery.Result{Status: 202, Response: strings.Repeat("x", delivery.MaxResponse)},
		},
		{
			"redirects are not followed", 302,
			http.Header{"Location": {"http://127.0.0.1:1/elsewhere"}},
			"", nil,
			delivery.Result{Status: 302, Error: "answered 302", Headers: "location: http://127.0.0.1:1/elsewhere"},
		},
		{
			"busy", 503,
			http.Header{"Retry-After": {"120"}},
			"", nil,
			delivery.Result{Status: 503, Error: "answered 503", RetryAfter: 2 * time.Minute, Headers: "retry-after: 120"},
		},
		{"no connection", 0, nil, "", errors.New("prohibited"), delivery.Result{Error: "prohibited"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			s.status, s.header, s.answer, s.refuse = tt.status, tt.header, strings.NewReader(tt.answer), tt.refuse
			id, _ := s.create(t, "order.*")
			if diff := cmp.Diff(tt.want, s.try(t, id)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if tt.refuse == nil && len(s.got) != 1 {
				t.Errorf("%d requests", len(s.got))
			}
		})
	}
}

func TestAnAttemptThatTakesTooLong(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	id, _ := s.create(t, "order.*")
	d := s.to(t, id, event.Published(opened, "order.paid", nil))
	ctx, cancel := context.WithCancel(t.Context())
	s.refuse = errors.New("cut off")
	s.sender.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		cancel() // the time is over
		return s.RoundTrip(r)
	})
	if r := s.sender.Send(ctx, d); r.Error != "no answer within 10s" {
		t.Errorf("result = %+v", r)
	}
}

// roundTrip is a http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

func (fn roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return fn(r) }

func TestWhatIsNotSentAnyMore(t *testing.T) {
	t.Parallel()

	s, ctx, off := openShop(t), t.Context(), false
	deleted, _ := s.create(t, "order.*")
	disabled, _ := s.create(t, "order.*")
	if _, err := s.Change(ctx, disabled, webhook.Input{Enabled: &off}); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(ctx, deleted); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{deleted: "the webhook was deleted", disabled: "the webhook is disabled"} {
		if r := s.try(t, id); !r.Cancel || r.Error != want {
			t.Errorf("result = %+v, want %s", r, want)
		}
	}
	if len(s.got) != 0 {
		t.Errorf("%d requests were made", len(s.got))
	}
	test, err := s.Test(ctx, disabled)
	if err != nil {
		t.Fatal(err)
	}
	if r := s.sender.Send(ctx, test.Delivery); !r.OK() {
		t.Errorf("a disabled webhook cannot be tested: %+v", r)
	}
	var body struct {
		Type string
		Data struct{ WebhookID string }
	}
	err = json.Unmarshal([]byte(s.got[0].body), &body)
	if err != nil || body.Type != "webhook.test" || body.Data.WebhookID != disabled {
		t.Errorf("test = %s, %v", s.got[0].body, err)
	}
}
