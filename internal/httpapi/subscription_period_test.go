package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

// period is the invoice of the nth month of a sale of the tier "monthly", paid at
// its beginning. Stripe counts from when it made the subscription, some seconds
// before the payment.
func (s sale) period(n int) []byte {
	begun := testkit.T0.Add(50 * time.Second)
	return stripetest.Event(fmt.Sprint("evt_in_", n, s.orderID), "invoice.paid", begun.AddDate(0, n-1, 0), map[string]any{
		"id": fmt.Sprint("in_", n, s.orderID), "billing_reason": "subscription_cycle", "status": "paid", "amount_paid": 500, "currency": "eur",
		"period_end": begun.AddDate(0, n-1, 0).Unix(),
		"lines":      map[string]any{"data": []any{map[string]any{"period": map[string]any{"start": begun.AddDate(0, n-1, 0).Unix(), "end": begun.AddDate(0, n, 0).Unix()}}}},
		"parent":     map[string]any{"subscription_details": map[string]any{"metadata": map[string]any{"orderId": s.orderID}, "subscription": "sub_" + s.orderID}},
	})
}

// Stripe goes on to the next period though it could not collect one, and a webhook
// may be lost: whoever paid for a period must not find the licence expired.
func TestThePeriodThatIsPaidWorksWhateverBecameOfThoseBefore(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, options ...testkit.Option) {
		a, _ := liveShop(t, options...)
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
			s := orderLive(t, a, "monthly")
			mustTell(t, a, s.subscribed("evt_1", "checkout.session.completed", "paid"))
			for _, n := range tt.periods {
				mustTell(t, a, s.period(n))
			}
			l, err := a.Market.LicenseByID(t.Context(), orderOf(t, a, s.orderID).LicenseID)
			if got := l.License.ExpiresAt.Format(time.DateOnly); err != nil || got != tt.want {
				t.Errorf("after %v the licence ends %s, %v; want %s", tt.periods, got, err, tt.want)
			}
		}
	})
}

// A month that the shop gave away comes on top of those that are paid, also when
// one of them is told late.
func TestAPeriodThatWasGivenAwayIsKept(t *testing.T) {
	t.Parallel()
	a, _ := liveShop(t)
	admin := a.Admin(t, "root").Access
	for _, order := range [][]int{{2, 3}, {3, 2}} {
		s := orderLive(t, a, "monthly")
		mustTell(t, a, s.subscribed("evt_1", "checkout.session.completed", "paid"))
		id := orderOf(t, a, s.orderID).LicenseID
		if res := a.Do(t, testkit.Request{Method: "POST", Path: "/api/v1/admin/licenses/" + id + "/renew", Token: admin, Body: map[string]any{"periods": 1}}); res.Status != 200 {
			t.Fatalf("renew = %d %s", res.Status, res.Body)
		}
		for _, n := range order {
			mustTell(t, a, s.period(n))
		}
		l, err := a.Market.LicenseByID(t.Context(), id)
		if got := l.License.ExpiresAt.Format(time.DateOnly); err != nil || got != "2030-07-01" {
			t.Errorf("in the order %v the licence ends %s, %v; want 2030-07-01", order, got, err)
		}
	}
}

// A period that was passed over and is paid after all adds nothing only while the
// term has it: an administrator may have ended it earlier, or revoked the licence.
func TestAPeriodThatWasPassedOverAndIsNotInTheTerm(t *testing.T) {
	t.Parallel()
	a, _ := liveShop(t)
	admin := a.Admin(t, "root").Access
	passedOver := func() (s sale, license string) {
		s = orderLive(t, a, "monthly")
		mustTell(t, a, s.subscribed("evt_1", "checkout.session.completed", "paid"))
		mustTell(t, a, s.period(3))
		return s, "/api/v1/admin/licenses/" + orderOf(t, a, s.orderID).LicenseID
	}
	s, license := passedOver()
	if res := a.Do(t, testkit.Request{Method: "PATCH", Path: license, Token: admin, Body: map[string]any{"expiresAt": "2030-04-01T12:00:00Z"}}); res.Status != 200 {
		t.Fatalf("change = %d %s", res.Status, res.Body)
	}
	mustTell(t, a, s.period(2))
	l, err := a.Market.LicenseByID(t.Context(), orderOf(t, a, s.orderID).LicenseID)
	if got := l.License.ExpiresAt.Format(time.DateOnly); err != nil || got != "2030-05-01" {
		t.Errorf("ended earlier, the licence ends %s, %v; want 2030-05-01", got, err)
	}
	s, license = passedOver()
	adminPost(t, a, admin, license+"/revoke")
	if n, err := notice(t, a, s.period(2)); err != nil || !strings.Contains(n.Warning, "end the subscription") {
		t.Errorf("of a revoked licence: %+v, %v; want a warning", n, err)
	}
}
