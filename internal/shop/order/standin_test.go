package order_test

import (
	"context"
	"testing"

	"stoa/internal/base/reqctx"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/order"
)

// chosen stands for accounts that have all chosen a language.
type chosen string

func (chosen) Email(_ context.Context, userID string) (string, error) {
	return userID + "@example.com", nil
}

func (c chosen) Language(context.Context, string) (string, error) { return string(c), nil }

// An order that staff place for somebody is in the language that its owner chose, never in that of the staff.
func TestStaffDoNotChooseTheLanguageOfAnOrder(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		staff, chosen, want string
	}{
		"one's own":           {"", "de", "fr"},
		"for somebody":        {"sam", "de", "de"},
		"for who chose none":  {"sam", "", ""},
		"one's own, unchosen": {"", "", "fr"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			const tiers = `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack, category: c, shortDescription: s,
				description: d, icon: /i.svg, pricingTiers: [{id: free, name: Free, price: 0},
				{id: once, name: Once, price: 49.90, trialDays: 14}]}]}`
			if _, err := s.Products.(*catalog.Service).ImportBytes(t.Context(), []byte(tiers)); err != nil {
				t.Fatal(err)
			}
			s.Discounts = &discount.Service{Mailbox: order.EmailKey, Secret: []byte("secret")}
			s.Users = chosen(tt.chosen)
			ctx := reqctx.WithLanguage(t.Context(), "fr")
			ctx = reqctx.WithCaller(ctx, reqctx.Caller{UserID: "ada", Impersonator: tt.staff})
			bought, err := s.Purchase(ctx, "mail-pack", order.PurchaseRequest{TierID: "free", PaymentMethod: "card"})
			if err != nil {
				t.Fatal(err)
			}
			trial, err := s.StartTrial(ctx, "mail-pack", order.TrialRequest{TierID: "once"})
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{bought.OrderID, trial.OrderID} {
				var got string
				row := s.db.Conn().Read.QueryRowContext(t.Context(), `SELECT language FROM orders WHERE id = $1`, id)
				if err := row.Scan(&got); err != nil || got != tt.want {
					t.Errorf("the order is in %q, %v; want %q", got, err, tt.want)
				}
			}
		})
	}
}
