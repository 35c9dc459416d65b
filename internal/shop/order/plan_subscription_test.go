package order_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/plan"
)

// The figures of a subscription are the provider's. What it collects at once settles the change.
func TestTheProviderChangesASubscription(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", false)
	end := s.license(t, o).ExpiresAt
	s.bank.figures = payment.Proration{Due: 777, Credit: 223, Exponent: 2, Currency: "EUR"}
	q, err := s.PreviewChange(ada(t), o.LicenseID, order.ChangeRequest{TierID: "large"})
	if err != nil || q.Due.Minor != 777 || q.Credit.Minor != 223 || q.Later {
		t.Errorf("preview = %+v, %v", q, err)
	}
	s.bank.changed = payment.Changed{Invoice: "change-1", Paid: true, Minor: 777, Exponent: 2, Currency: "EUR"}
	b := s.change(t, o, "large")
	if b.PaymentURL != "" || !b.Due {
		t.Errorf("change = %+v", b)
	}
	s.has(t, o, "large", end, "")
	changed := s.order(t, b.OrderID)
	if changed.Status() != order.Paid || changed.Amount.Minor != 777 || changed.Payment.Subscription != "" {
		t.Errorf("order = %+v", changed)
	}
	s.tell(t, s.adjusted(o, payment.Adjusted, 777)) // its webhook says it again
	s.tell(t, s.adjusted(o, payment.AdjustmentFailed, 0))
	if got := s.order(t, b.OrderID); got.Status() != order.Paid {
		t.Errorf("order = %+v", got)
	}
	if _, err := s.Renew(ada(t), o.LicenseID, order.RenewalRequest{}); !errors.Is(err, plan.ErrRenewed) {
		t.Errorf("renewal by the owner = %v", err)
	}
	s.bank.asked()
	// Refunded: the tier before comes back, at the provider, too, without proration.
	if _, err := s.Refund(admin(t), b.OrderID, order.RefundRequest{}); err != nil {
		t.Fatal(err)
	}
	s.has(t, o, "small", end, "")
	if got := s.bank.asked(); !slices.Equal(got, []string{"refund change-1", "change sub-" + o.ID + " 1000 later"}) {
		t.Errorf("the provider was asked for %q", got)
	}
}

// What the bank does not pay at once waits for its page, and the webhook settles or cancels it.
func TestAChangeThatWaitsForItsInvoice(t *testing.T) {
	t.Parallel()

	for kind, want := range map[payment.EventKind]string{payment.Adjusted: "large", payment.AdjustmentFailed: "small"} {
		s, o := subscribed(t, "small", false)
		end := s.license(t, o).ExpiresAt
		s.waits("change-1")
		b := s.change(t, o, "large")
		if b.PaymentURL != "https://bank.example/invoice" {
			t.Errorf("change = %+v", b)
		}
		s.has(t, o, "small", end, "")
		_, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "huge"})
		if !errors.Is(err, order.ErrBeingBought) {
			t.Errorf("a second change = %v", err)
		}
		s.tell(t, s.adjusted(o, kind, 500))
		s.tell(t, s.adjusted(o, kind, 500))
		s.has(t, o, want, end, "")
		if kind == payment.AdjustmentFailed { // it is paid all the same
			s.bank.asked()
			s.tell(t, s.adjusted(o, payment.Adjusted, 500))
			if got := s.bank.asked(); !slices.Equal(got, []string{"refund change-1", "change sub-" + o.ID + " 1000 later"}) {
				t.Errorf("the provider was asked for %q", got)
			}
			s.has(t, o, want, end, "")
		}
	}
}

// A cheaper plan is told to the provider at once, and begins with the period that is paid next.
func TestACheaperPlanOfASubscription(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "large", false)
	end := s.license(t, o).ExpiresAt
	s.change(t, o, "small")
	s.has(t, o, "large", end, "small")
	s.change(t, o, "large") // taken back
	s.has(t, o, "large", end, "")
	s.change(t, o, "middle")
	if got := s.bank.asked(); !slices.Equal(got, []string{
		"change sub-" + o.ID + " 1000 later", "change sub-" + o.ID + " 3000 later", "change sub-" + o.ID + " 2000 later",
	}) {
		t.Errorf("the provider was asked for %q", got)
	}
	s.clock.Advance(end.Sub(s.clock.Now()))
	renewed := payment.Event{
		ID: "renewed", Kind: payment.Renewed, At: end, OrderID: o.ID, Minor: 2000, Exponent: 2, Currency: "EUR", Until: end.AddDate(0, 1, 0),
		Reference: payment.Reference{Invoice: "second", Subscription: o.Payment.Subscription},
	}
	s.tell(t, renewed)
	s.tell(t, renewed)
	if l := s.has(t, o, "middle", end.AddDate(0, 1, 0), ""); l.MaxInstances != 2 {
		t.Errorf("seats = %d", l.MaxInstances)
	}
}

// A plan that is chosen while the period that begins is being collected begins with the period after it: what is paid
// at the price of the plan before has that plan, whenever it is paid.
func TestAPeriodThatWasBilledBeforeAPlanWasChosenHasThePlanBefore(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name, tier string
		sell       func(*shop, *testing.T)
		months     int // of a period of the tier
		open       int // how many periods were not collected when the plan is chosen
	}{
		{"of the same length", "large", (*shop).sellPlans, 1, 1},
		{"of another length", "year", (*shop).sellsYears, 12, 1},
		{"after one that is passed over", "large", (*shop).sellPlans, 1, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := openShop(t)
			tt.sell(s, t)
			s.RenewalLeeway = license.MaxLeeway
			o := s.subscribes(t, tt.tier, false)
			end := s.license(t, o).ExpiresAt
			billed := end.AddDate(0, (tt.open-1)*tt.months, 0)
			s.clock.Advance(billed.Add(time.Hour).Sub(s.clock.Now()))
			s.change(t, o, "small")
			s.has(t, o, tt.tier, end, "small")
			paid := func(name string, at, until time.Time) {
				t.Helper()
				s.clock.Advance(at.Add(2 * time.Hour).Sub(s.clock.Now()))
				e := payment.Event{
					ID: name, Kind: payment.Renewed, At: s.clock.Now(), OrderID: o.ID, Minor: 3000, Exponent: 2, Currency: "EUR",
					Until: until, BilledAt: at, Reference: payment.Reference{Invoice: name, Subscription: o.Payment.Subscription},
				}
				s.tell(t, e)
				s.tell(t, e)
			}
			until := billed.AddDate(0, tt.months, 0)
			paid("before", billed, until)
			s.has(t, o, tt.tier, until, "small")
			paid("after", until, until.AddDate(0, 1, 0))
			s.has(t, o, "small", until.AddDate(0, 1, 0), "")
			var got []string
			list, err := s.store.PaymentsOf(t.Context(), o.ID)
			for _, p := range list {
				got = append(got, p.Invoice+" "+p.TierID)
			}
			if want := []string{"first-" + o.ID + " ", "before ", "after small"}; !slices.Equal(got, want) || err != nil {
				t.Errorf("%v: the payments are %q, want %q", err, got, want)
			}
		})
	}
}

// While a period is collected that was billed at the price of the next plan, that plan stays the next one: else the
// plan before would be had at its price.
func TestAPlanIsNotTakenBackWhileItsFirstPeriodIsCollected(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "large", false)
	s.RenewalLeeway = license.MaxLeeway
	end := s.license(t, o).ExpiresAt
	s.change(t, o, "small")
	billed := end.Add(time.Minute)
	s.clock.Advance(billed.Add(time.Hour).Sub(s.clock.Now()))
	if _, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "large"}); !errors.Is(err, order.ErrCollected) {
		t.Errorf("taken back with %v", err)
	}
	s.tell(t, payment.Event{
		ID: "small", Kind: payment.Renewed, At: s.clock.Now(), OrderID: o.ID, Minor: 900, Exponent: 2, Currency: "EUR",
		Until: end.AddDate(0, 1, 0), BilledAt: billed,
		Reference: payment.Reference{Invoice: "small", Subscription: o.Payment.Subscription},
	})
	s.has(t, o, "small", end.AddDate(0, 1, 0), "")
}

// From month to year a term begins. If that is refunded, the term before comes back, and the subscription ends.
func TestARefundedChangeOfThePeriod(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", false)
	end := s.license(t, o).ExpiresAt
	s.clock.Advance(24 * time.Hour)
	s.collects(9000)
	b := s.change(t, o, "year")
	s.has(t, o, "year", s.clock.Now().AddDate(1, 0, 0), "")
	s.bank.asked()
	if _, err := s.Refund(admin(t), b.OrderID, order.RefundRequest{}); err != nil {
		t.Fatal(err)
	}
	s.has(t, o, "small", end, "")
	if got := s.bank.asked(); !slices.Equal(got, []string{"refund change-1", "end sub-" + o.ID}) {
		t.Errorf("the provider was asked for %q", got)
	}
}

// A plan of another period that was to begin with a period may be taken back before that or after it: then the provider
// charges by the period that nobody has any more, and the subscription ends.
func TestARefundedPlanOfAnotherPeriod(t *testing.T) {
	t.Parallel()

	for started, want := range map[bool]string{false: "change sub-%s 10000 later", true: "end sub-%s"} {
		s, o := subscribed(t, "year", false)
		end := s.license(t, o).ExpiresAt
		s.change(t, o, "tiny")
		planned := s.license(t, o).Next.OrderID
		if started {
			s.clock.Advance(end.Sub(s.clock.Now()))
			until := end.AddDate(0, 1, 0)
			s.tell(t, payment.Event{
				ID: "renewed", Kind: payment.Renewed, At: end, OrderID: o.ID, Minor: 500, Exponent: 2, Currency: "EUR", Until: until,
				Reference: payment.Reference{Invoice: "second", Subscription: o.Payment.Subscription},
			})
			s.has(t, o, "tiny", until, "")
			end = until
		}
		s.bank.asked()
		if _, err := s.Refund(admin(t), planned, order.RefundRequest{}); err != nil {
			t.Fatal(err)
		}
		if l := s.has(t, o, "year", end, ""); l.Months != 12 {
			t.Errorf("its periods have %d months", l.Months)
		}
		if got, want := s.bank.asked(), []string{fmt.Sprintf(want, o.ID)}; !slices.Equal(got, want) {
			t.Errorf("started %v: the provider was asked for %q, want %q", started, got, want)
		}
	}
}

// An answer that is lost is asked for again: the order stays open until the provider says what became of it.
func TestALostAnswerAboutAPlan(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", false)
	s.collects(500)
	s.bank.fail("change", errors.New("the line is dead"))
	if _, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "large"}); !errors.Is(err, order.ErrPaymentUnreachable) {
		t.Fatalf("change = %v", err)
	}
	s.bank.fail("change", nil)
	s.clock.Advance(26 * time.Hour)
	if err := s.Sweep(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if l := s.license(t, o); l.TierID != "large" {
		t.Errorf("the license has %s", l.TierID)
	}
	// And if the provider refuses, the order is cancelled.
	s.bank.fail("change", payment.ErrRefused)
	if _, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "huge"}); !errors.Is(err, order.ErrPaymentRefused) {
		t.Errorf("change = %v", err)
	}
	if _, ok, err := s.store.OpenFollower(t.Context(), o.LicenseID); ok || err != nil {
		t.Errorf("an order is open: %v, %v", ok, err)
	}
}

// A change that the provider refuses to refund keeps the order that issued the license.
func TestARefusedRefundOfAChangeRevokesNothing(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", false)
	s.collects(500)
	b := s.change(t, o, "large")
	s.bank.fail("refund", payment.ErrRefused)
	if _, err := s.Refund(admin(t), o.ID, order.RefundRequest{}); errs.KindOf(err) != errs.Conflict {
		t.Errorf("refund = %v", err)
	}
	if l := s.license(t, o); !l.RevokedAt.IsZero() || l.TierID != "large" {
		t.Errorf("license = %+v", l)
	}
	if got := s.order(t, b.OrderID); got.Status() != order.Paid {
		t.Errorf("the change is %s", got.Status())
	}
	s.bank.fail("refund", nil)
	if _, err := s.Refund(admin(t), o.ID, order.RefundRequest{}); err != nil {
		t.Fatal(err)
	}
	if l, c := s.license(t, o), s.order(t, b.OrderID); l.RevokedAt.IsZero() || c.Status() != order.Refunded {
		t.Errorf("license = %+v, change %s", l, c.Status())
	}
}
