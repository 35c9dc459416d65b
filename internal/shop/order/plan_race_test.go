package order_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/plan"
	"stoa/internal/testkit/dbtest"
)

// paidChange changes the license of an order to a dearer tier, and pays for that.
func (s *shop) paidChange(t *testing.T, o order.Order, tier string) string {
	t.Helper()
	b := s.change(t, o, tier)
	s.tell(t, s.paidNow(s.order(t, b.OrderID), true))
	return b.OrderID
}

// A change that is taken out of the middle hands on what it would have brought back.
func TestChangesAreTakenOutInAnyOrder(t *testing.T) {
	t.Parallel()

	each([]int{0, 1, 2}, func(turns []int) {
		s, o := subscribed(t, "small", true)
		tiers := []string{"middle", "large", "huge"}
		var ids []string
		for _, tier := range tiers {
			ids = append(ids, s.paidChange(t, o, tier))
		}
		stands := map[int]bool{0: true, 1: true, 2: true}
		for _, i := range turns {
			if _, err := s.Refund(admin(t), ids[i], order.RefundRequest{}); err != nil {
				t.Fatal(err)
			}
			delete(stands, i)
			want := "small"
			for n, tier := range tiers {
				if stands[n] {
					want = tier
				}
			}
			if l := s.license(t, o); l.TierID != want {
				t.Errorf("after the refunds of %v up to %d it has %s, want %s", turns, i, l.TierID, want)
			}
		}
	})
}

// Of changes of the billing period, and of renewals, what stands decides, in whatever order the others were taken out.
func TestPeriodsAreTakenOutInAnyOrder(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		tiers  [4]string // none is a renewal
		months map[string]int
	}{
		{[4]string{"year", "", "middle", ""}, map[string]int{"[1 3]": 13, "[3]": 1, "[1]": 12, "[]": 0}},
		{[4]string{"year", "tiny", "", "middle"}, map[string]int{"[2]": 1, "[]": 0}},
		{[4]string{"year", "years", "", "middle"}, map[string]int{"[2]": 12, "[]": 0}},
	} {
		ends := map[string]time.Time{} // by what stands
		var first time.Time
		each([]int{0, 1, 2, 3}, func(turns []int) {
			s, o := subscribed(t, "small", true)
			first = s.license(t, o).ExpiresAt
			ids := s.follows(t, o, tt.tiers)
			stands := []int{0, 1, 2, 3}
			for _, i := range turns {
				if _, err := s.Refund(admin(t), ids[i], order.RefundRequest{}); err != nil {
					t.Fatal(err)
				}
				stands = slices.DeleteFunc(stands, func(n int) bool { return n == i })
				l, what := s.license(t, o), fmt.Sprint(stands)
				if end, known := ends[what]; known && !l.ExpiresAt.Equal(end) {
					t.Errorf("%q, refunds of %v: %s stands, and it ends %s or %s", tt.tiers, turns, what, end, l.ExpiresAt)
				}
				ends[what] = l.ExpiresAt
			}
			s.has(t, o, "small", first, "")
		})
		for what, months := range tt.months {
			if want := first.AddDate(0, months, 0); !ends[what].Equal(want) {
				t.Errorf("%q: with %s it ends %s, want %s", tt.tiers, what, ends[what], want)
			}
		}
	}
}

// follows makes orders that follow for the license of an order, a day after each other, and returns their ids: renewals
// where there is no tier. What is to be paid is paid.
func (s *shop) follows(t *testing.T, o order.Order, tiers [4]string) (ids []string) {
	t.Helper()
	for _, tier := range tiers {
		s.clock.Advance(24 * time.Hour)
		var b order.Bought
		if tier != "" {
			b = s.change(t, o, tier)
		} else {
			var err error
			if b, err = s.Renew(ada(t), o.LicenseID, order.RenewalRequest{}); err != nil {
				t.Fatal(err)
			}
		}
		if b.Due {
			s.tell(t, s.paidNow(s.order(t, b.OrderID), true))
		}
		ids = append(ids, b.OrderID)
	}
	return ids
}

// Taking a planned change back is one request, also if its answer was lost and another change was planned since.
func TestAPlannedChangeIsTakenBackByOneRequest(t *testing.T) {
	t.Parallel()

	dbtest.OnEngines(t, func(t *testing.T, url string) {
		s := openShopAt(t, url)
		s.sellPlans(t)
		o := s.subscribes(t, "huge", false)
		end := s.license(t, o).ExpiresAt
		back := func(id, next string) {
			t.Helper()
			b, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "huge", OrderID: id})
			if err != nil || b.Due || b.OrderID != "" {
				t.Errorf("%s = %+v, %v", id, b, err)
			}
			s.has(t, o, "huge", end, next)
		}
		s.change(t, o, "small")
		back("first", "")
		back("first", "")
		_, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "huge", OrderID: "second"})
		if !errors.Is(err, plan.ErrSameTier) {
			t.Errorf("another request = %v", err)
		}
		s.change(t, o, "middle")
		back("first", "middle")
		back("second", "")
		s.change(t, o, "middle")
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { back("third", "") })
		}
		all.Wait()
	})
}

// What is paid for a license that was revoked meanwhile goes back.
func TestAChangeOfALicenseThatIsRevokedMeanwhile(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", true)
	b := s.change(t, o, "large")
	l := s.license(t, o)
	l.Revoke(s.clock.Now())
	if err := s.store.UpdateLicense(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	s.tell(t, s.paidNow(s.order(t, b.OrderID), true))
	if got := s.order(t, b.OrderID); got.Status() != order.Cancelled || got.RefundedAt.IsZero() || s.license(t, o).TierID != "small" {
		t.Errorf("order = %+v", got)
	}
}

// Changes, renewals, payments and refunds at once, on two services, end in a state that fits together.
func TestPlansUnderARace(t *testing.T) {
	t.Parallel()

	dbtest.OnEngines(t, func(t *testing.T, url string) {
		s := openShopAt(t, url)
		s.sellPlans(t)
		other := *s.Service
		for range 6 {
			o := s.subscribes(t, "small", true)
			var told []payment.Event
			changed := s.paidChange(t, o, "middle")
			open := s.change(t, o, "large").OrderID
			for _, id := range []string{o.ID, changed, open} {
				told = append(told, s.paidNow(s.order(t, id), true))
			}
			var all sync.WaitGroup
			for i, service := range []*order.Service{s.Service, &other, s.Service, &other} {
				all.Go(func() { _, _ = service.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "huge"}) })
				all.Go(func() { _, _ = service.Renew(ada(t), o.LicenseID, order.RenewalRequest{}) })
				all.Go(func() { s.tell(t, told[i%len(told)]) })
				all.Go(func() { _, _ = service.Refund(admin(t), []string{changed, o.ID}[i/2], order.RefundRequest{}) })
			}
			all.Wait()
			s.fits(t, o)
		}
	})
}

// fits fails unless the orders of a license fit together.
func (s *shop) fits(t *testing.T, o order.Order) {
	t.Helper()
	l := s.license(t, o)
	list, err := s.store.Siblings(t.Context(), o.LicenseID)
	if err != nil {
		t.Fatal(err)
	}
	open, standing := 0, 0
	for _, sibling := range list {
		switch sibling.Status() {
		case order.Pending:
			open++
		case order.Paid:
			standing++
		case order.Refunded, order.Cancelled:
		}
		paid, err := s.store.PaymentsOf(t.Context(), sibling.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paid {
			if p.Refunded > p.Minor {
				t.Errorf("%d of %d are refunded", p.Refunded, p.Minor)
			}
		}
	}
	if open > 1 {
		t.Errorf("%d orders are open", open)
	}
	if !l.RevokedAt.IsZero() && standing > 0 {
		t.Errorf("a license that a refund revoked has %d paid orders", standing)
	}
	if l.RevokedAt.IsZero() {
		t.Error("the refund of what issued the license did not revoke it")
	}
}
