package shop_test

import (
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// Stripe goes on to the next period even if it could not collect one, and a
// webhook may be lost: a buyer who paid for a period must not find the license
// expired.
func TestThePeriodThatIsPaidWorksWhateverBecameOfThoseBefore(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		a, _ := testkit.NewStripeShop(t, options...)
		for _, tt := range []struct {
			periods []int // in the order of their webhooks
			want    string
		}{
			{[]int{2}, "2030-05-01"},
			{[]int{2, 3}, "2030-06-01"},
			{[]int{3}, "2030-06-01"},
			{[]int{3, 3}, "2030-06-01"},
			{[]int{3, 2, 2}, "2030-06-01"}, // the same as in order
			{[]int{5, 4, 2, 3}, "2030-08-01"},
			{[]int{2, 5}, "2030-08-01"},
			{[]int{5, 6}, "2030-09-01"},
			{[]int{5, 7, 6, 2}, "2030-10-01"},
			{[]int{121}, "2040-04-01"},
			{[]int{122}, "2030-05-01"}, // more than ten years were passed over: not by this shop's count
		} {
			s := a.Sell(t, "monthly")
			a.MustDeliver(t, s.Subscribed("evt_1", "checkout.session.completed", "paid"))
			for _, n := range tt.periods {
				a.MustDeliver(t, s.Period(n))
			}
			l, err := a.Licenses.Get(t.Context(), a.StoredOrder(t, s.OrderID).LicenseID)
			if got := l.License.ExpiresAt.Format(time.DateOnly); err != nil || got != tt.want {
				t.Errorf("after %v the license ends %s, %v; want %s", tt.periods, got, err, tt.want)
			}
		}
	})
}

// A month that the shop gave away adds to the paid ones, even if the webhook of
// one is late.
func TestAPeriodThatWasGivenAwayIsKept(t *testing.T) {
	t.Parallel()
	a, _ := testkit.NewStripeShop(t)
	admin := a.Admin(t, "root").Access
	for _, order := range [][]int{{2, 3}, {3, 2}} {
		s := a.Sell(t, "monthly")
		a.MustDeliver(t, s.Subscribed("evt_1", "checkout.session.completed", "paid"))
		id := a.StoredOrder(t, s.OrderID).LicenseID
		if res := a.Do(t, testkit.Post(admin, "/api/v1/admin/licenses/"+id+"/renew", map[string]any{
			"periods": 1,
		})); res.Status != 200 {
			t.Fatalf("renew = %d %s", res.Status, res.Body)
		}
		for _, n := range order {
			a.MustDeliver(t, s.Period(n))
		}
		l, err := a.Licenses.Get(t.Context(), id)
		if got := l.License.ExpiresAt.Format(time.DateOnly); err != nil || got != "2030-07-01" {
			t.Errorf("in the order %v the license ends %s, %v; want 2030-07-01", order, got, err)
		}
	}
}

// A skipped period that is paid after all adds nothing if the term covers it
// already. It may not: an administrator may have ended the term earlier or
// revoked the license.
func TestAPeriodThatWasPassedOverAndIsNotInTheTerm(t *testing.T) {
	t.Parallel()
	a, _ := testkit.NewStripeShop(t)
	admin := a.Admin(t, "root").Access
	passedOver := func() (s testkit.Sale, license string) {
		s = a.Sell(t, "monthly")
		a.MustDeliver(t, s.Subscribed("evt_1", "checkout.session.completed", "paid"))
		a.MustDeliver(t, s.Period(3))
		return s, "/api/v1/admin/licenses/" + a.StoredOrder(t, s.OrderID).LicenseID
	}
	s, license := passedOver()
	if res := a.Do(t, testkit.Patch(admin, license, map[string]any{
		"expiresAt": "2030-04-01T12:00:00Z",
	})); res.Status != 200 {
		t.Fatalf("change = %d %s", res.Status, res.Body)
	}
	a.MustDeliver(t, s.Period(2))
	l, err := a.Licenses.Get(t.Context(), a.StoredOrder(t, s.OrderID).LicenseID)
	if got := l.License.ExpiresAt.Format(time.DateOnly); err != nil || got != "2030-05-01" {
		t.Errorf("ended earlier, the license ends %s, %v; want 2030-05-01", got, err)
	}
	s, license = passedOver()
	a.Do(t, testkit.Post(admin, license+"/revoke", nil))
	if out, err := outcome(t, a, s.Period(2)); err != nil || !strings.Contains(out.Warning, "end the subscription") {
		t.Errorf("of a revoked license: %+v, %v; want a warning", out, err)
	}
}
