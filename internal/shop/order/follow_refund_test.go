package order_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"stoa/internal/shop/catalog"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/plan"
	"stoa/internal/testkit/dbtest"
)

// A part of a change or a renewal may be due while the dashboard refunds what issued the license: all of it goes back.
func TestNothingIsKeptOfARevokedLicenseOfWhichAPartWasDue(t *testing.T) {
	t.Parallel()

	dbtest.OnEngines(t, func(t *testing.T, url string) {
		s := openShopAt(t, url)
		s.sellPlans(t)
		for name, goesOn := range map[string]func(o, f order.Order){
			"at once": func(o, _ order.Order) { s.tell(t, s.backNow(o)) },
			"with the sweep": func(o, _ order.Order) {
				s.bank.fail("refund", errOutage)
				s.tellInVain(t, s.backNow(o))
				s.bank.fail("refund", nil)
				s.sweep(t) // the part
				s.sweep(t) // the rest
			},
			"with the next request": func(o, f order.Order) {
				s.bank.fail("refund", errOutage)
				s.tellInVain(t, s.backNow(o))
				s.bank.fail("refund", nil)
				if _, err := s.Refund(admin(t), f.ID, order.RefundRequest{}); err != nil {
					t.Error(err)
				}
				s.tell(t, s.backNow(o))
			},
		} {
			o := s.subscribes(t, "small", true)
			changed := s.paidChange(t, o, "huge")
			renewed := s.renews(t, o, "")
			f := s.order(t, changed)
			s.bank.fail("refund", errOutage)
			for _, id := range []string{changed, renewed.ID} {
				if _, err := s.Refund(admin(t), id, part("5")); err == nil {
					t.Fatal("the provider answered")
				}
			}
			s.bank.fail("refund", nil)
			goesOn(o, f)
			for _, id := range []string{o.ID, changed, renewed.ID} {
				if got := s.state(t, id); got != "refunded, license paid, license revoked" || s.left(t, id) != 0 {
					t.Errorf("%s: %s, and %d are left", name, got, s.left(t, id))
				}
			}
		}
	})
}

// tellInVain delivers an event that the shop cannot take yet.
func (s *shop) tellInVain(t *testing.T, e payment.Event) {
	t.Helper()
	payload, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.HandleWebhook(t.Context(), "bank", payload, "good"); err == nil {
		t.Errorf("%s was taken", e.ID)
	}
}

// A part that the provider refuses does not keep the rest.
func TestARefusedPartDoesNotKeepTheRest(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", true)
	changed := s.paidChange(t, o, "huge")
	s.bank.fail("refund", errOutage)
	if _, err := s.Refund(admin(t), changed, part("5")); err == nil {
		t.Fatal("the provider answered")
	}
	s.bank.fail("refund", nil)
	s.bank.fail("part", payment.ErrRefused)
	s.tell(t, s.backNow(o))
	if got := s.state(t, changed); got != "refunded, license paid, license revoked" || s.left(t, changed) != 0 {
		t.Errorf("%s, and %d are left", got, s.left(t, changed))
	}

	s, o = subscribed(t, "small", true)
	s.paidChange(t, o, "huge")
	s.bank.fail("refund", payment.ErrRefused)
	if n := s.tell(t, s.backNow(o)); n.Warning == "" {
		t.Errorf("all is refused: %+v", n)
	}
}

// siblings is a Store in whose next transaction something happens once the orders of a license were read.
type siblings struct {
	order.Store

	then *func()
}

// InTx implements order.Store.
func (s *siblings) InTx(ctx context.Context, fn func(order.Store) error) error {
	return s.Store.InTx(ctx, func(tx order.Store) error { return fn(&siblings{tx, s.then}) })
}

// Siblings implements order.Followers.
func (s *siblings) Siblings(ctx context.Context, licenseID string) ([]order.Order, error) {
	list, err := s.Store.Siblings(ctx, licenseID)
	if then := *s.then; then != nil {
		*s.then = nil
		then()
	}
	return list, err
}

// What is ordered, and costs nothing, while the refund of the dashboard is recorded does not outlive it. SQLite has one
// transaction at a time.
func TestNoChangeSlipsInWhileTheLicenseIsRevoked(t *testing.T) {
	t.Parallel()

	s := openShopAt(t, dbtest.Postgres(t))
	const plans = `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack, category: c, shortDescription: s,
		description: d, icon: /i.svg, pricingTiers: [{id: once, name: Once, price: 49.90},
		{id: same, name: Same, price: 49.90}]}]}`
	if _, err := s.Products.(*catalog.Service).ImportBytes(t.Context(), []byte(plans)); err != nil {
		t.Fatal(err)
	}
	o := s.subscribes(t, "once", true)
	other, done := *s.Service, make(chan error, 1)
	then := func() {
		go func() {
			_, err := other.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "same"})
			done <- err
		}()
		s.waitsOrEnds(t, done)
	}
	s.Store = &siblings{s.store, &then}
	s.tell(t, s.backNow(o))
	if err := <-done; !errors.Is(err, plan.ErrRevoked) {
		t.Errorf("ChangePlan = %v", err)
	}
	list, err := s.store.Siblings(t.Context(), o.LicenseID)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if got := s.state(t, f.ID); got != "refunded, license paid, license revoked" {
			t.Errorf("%s: %s", f.Kind, got)
		}
	}
}

// waitsOrEnds returns once a transaction waits for a lock, or there is something in done.
func (s *shop) waitsOrEnds(t *testing.T, done <-chan error) {
	t.Helper()
	for waits := 0; waits == 0 && len(done) == 0; {
		err := s.db.Conn().Read.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waits)
		if err != nil {
			t.Error(err)
			return
		}
	}
}
