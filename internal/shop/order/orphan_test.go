package order_test

import (
	"slices"
	"testing"
	"time"

	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/testkit/dbtest"
)

// revoke revokes the license of an order by hand.
func (s *shop) revoke(t *testing.T, o order.Order) {
	t.Helper()
	if _, err := s.Licenses.(*license.Service).Revoke(admin(t), o.LicenseID, nil); err != nil {
		t.Fatal(err)
	}
}

// Whoever pays for a license that was revoked by hand meanwhile gets the money back, not an order without a license.
func TestAFirstPaymentForALicenseThatWasRevokedGoesBack(t *testing.T) {
	t.Parallel()

	dbtest.OnEngines(t, func(t *testing.T, url string) {
		s := openShopAt(t, url)
		for tier, want := range map[string]struct {
			state string
			asked []string
		}{
			"once":    {"cancelled, license revoked, money returned", []string{"refund pay-1"}},
			"monthly": {"cancelled, license revoked, money returned, subscription ended", []string{"refund pay-1inv-1", "end sub-1"}},
		} {
			o := s.buy(t, tier)
			s.revoke(t, o)
			s.tell(t, paid(o))
			s.tell(t, paid(o)) // nothing is left to do
			if got := s.state(t, o.ID); got != want.state || s.left(t, o.ID) != 0 {
				t.Errorf("%s: %s, and %d are left", tier, got, s.left(t, o.ID))
			}
			if got := s.bank.asked(); !slices.Equal(got, want.asked) {
				t.Errorf("%s: the bank was asked %q", tier, got)
			}
		}
		for range 2 { // the mails are about the refunds; there is no receipt
			d, due, err := s.receipts.LeaseReceipt(t.Context(), "lease", s.clock.Now(), s.clock.Now().Add(time.Hour))
			if err != nil || !due || d.Notice.Minor != 4990 {
				t.Errorf("order %s, due %v: the mail is about %+v, %v", d.OrderID, due, d.Notice, err)
			}
		}
	})
}

// The page of an order whose license was revoked by hand is closed.
func TestAFirstOrderOfARevokedLicenseIsCancelled(t *testing.T) {
	t.Parallel()

	dbtest.OnEngines(t, func(t *testing.T, url string) {
		s := openShopAt(t, url)
		o, untouched, settled := s.buy(t, "once"), s.buy(t, "once"), s.buy(t, "once")
		s.tell(t, paid(settled))
		s.revoke(t, o)
		s.revoke(t, settled)
		s.bank.fail("cancel", payment.ErrRefused) // it is being paid
		if log := s.cancelOrphans(t); log != "" {
			t.Error(log)
		}
		s.cancelOrphans(t)
		for id, want := range map[string]string{
			o.ID: "cancelled, license revoked", untouched.ID: "pending", settled.ID: "paid, license paid, license revoked",
		} {
			if got := s.state(t, id); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		if got := s.bank.asked(); !slices.Equal(got, []string{"cancel"}) {
			t.Errorf("the bank was asked %q", got)
		}
	})
}

// One whose provider is not configured any more waits for that, quietly: it may have been paid.
func TestAnOrderOfARevokedLicenseWaitsForItsProvider(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "once")
	s.revoke(t, o)
	s.Payments = payment.None{}
	if log := s.cancelOrphans(t); log != "" {
		t.Error(log)
	}
	if got := s.state(t, o.ID); got != "pending, license revoked" {
		t.Errorf("the order is %s", got)
	}
	s.Payments = s.bank
	s.cancelOrphans(t)
	if got := s.state(t, o.ID); got != "cancelled, license revoked" {
		t.Errorf("when its provider is back: %s", got)
	}
}
