package shop_test

import (
	"slices"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// Whose order is refunded hears of it by mail, once, and gets no key any more.
func TestARefundedBuyerGetsOneMail(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		a := testkit.NewShop(t, options...)
		admin := a.Admin(t, "root").Access
		ada := a.Register(t, "ada")
		paid := a.Order(t, "", "once", "guest@example.com").Text(t, "orderId")
		own := a.Buy(t, ada.Access, "once").Text(t, "orderId")
		free := a.Order(t, "", "free", "free@example.com").Text(t, "orderId")
		a.Mails(t)
		for range 2 {
			for _, id := range []string{paid, own, free} {
				a.Refund(t, admin, id)
			}
		}
		mails := a.Mails(t)
		to := recipients(mails)
		slices.Sort(to)
		if got := strings.Join(to, " "); got != "ada@example.com guest@example.com" {
			t.Fatalf("mails to %s", got)
		}
		for _, m := range mails {
			if !strings.Contains(m.Text, "49.90 EUR") || !strings.Contains(m.Text, "A refund was made for your order") ||
				strings.Contains(m.Text, "STOA-") || !strings.HasPrefix(m.ID, "refund-") {
				t.Errorf("mail %s, %s:\n%s", m.ID, m.Subject, m.Text)
			}
		}
	})
}

// Refunds that Stripe tells of, again and again, too.
func TestARefundAtTheProviderIsMailedOnce(t *testing.T) {
	t.Parallel()

	a, _ := testkit.NewStripeShop(t)
	id := a.Order(t, "", "once", "guest@example.com").Text(t, "orderId")
	sale := testkit.Sale{OrderID: id}
	a.MustDeliver(t, sale.Paid())
	a.Mails(t)
	a.MustDeliver(t, sale.Refunded())
	a.MustDeliver(t, sale.Refunded())
	if to := recipients(a.Mails(t)); len(to) != 1 || to[0] != "guest@example.com" {
		t.Errorf("mails to %v", to)
	}
}
