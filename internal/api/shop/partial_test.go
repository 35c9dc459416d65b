package shop_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// A partial refund in the provider's dashboard is on the order, and administrators
// hear of it: only they know whether the license should go on.
func TestAPartialRefundIsRecordedAndTold(t *testing.T) {
	t.Parallel()

	for _, engine := range []struct {
		name    string
		options []testkit.Option
	}{{"SQLite", nil}, {"PostgreSQL", []testkit.Option{testkit.OnPostgres}}} {
		t.Run(engine.name, func(t *testing.T) {
			t.Parallel()

			a, _ := testkit.NewStripeShop(t, engine.options...)
			admin := a.Admin(t, "root").Access
			sale := a.Sell(t, "once")
			a.MustDeliver(t, sale.Paid())
			for i, cents := range []int{500, 1200, 900} { // the last is late
				a.MustDeliver(t, sale.Charge(fmt.Sprintf("evt_part_%d", i), cents))
				a.MustDeliver(t, sale.Charge(fmt.Sprintf("evt_part_%d", i), cents)) // again
			}
			res := a.Do(t, testkit.Get(admin, testkit.AdminOrders+"/"+sale.OrderID))
			if res.Status != http.StatusOK || res.Text(t, "data.status") != "paid" || res.Get(t, "data.partlyRefunded") != 12.0 {
				t.Errorf("order = %d %s, want it paid, and 12 refunded", res.Status, res.Body)
			}
			a.Activate(t, sale.Key, "a.example")
			if got := a.Verify(t, "mail-pack", sale.Key, "a.example"); got.Get(t, "valid") != true {
				t.Errorf("verify = %s", got.Body)
			}
			var mails []string
			for _, m := range a.Mails(t) {
				if strings.Contains(m.Subject, "refunded in part") {
					mails = append(mails, m.To+": "+strings.SplitN(m.Text, " that order", 2)[0])
				}
			}
			slices.Sort(mails) // they are sent at the same time
			want := "[root@example.com: At the payment provider, 12.00 EUR of the 49.90 EUR root@example.com: At the payment " +
				"provider, 5.00 EUR of the 49.90 EUR]"
			if got := fmt.Sprint(mails); got != want {
				t.Errorf("mails: %s, want %s", got, want)
			}
		})
	}
}
