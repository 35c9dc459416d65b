package order_test

import (
	"context"
	"strings"
	"testing"

	"stoa/internal/base/reqctx"
	"stoa/internal/shop/order"
	"stoa/internal/testkit/dbtest"
)

// bob is another user than ada.
const bob = "k2yq0c3b9n6m1v5x8z4l7j0h"

// Whoever claims the trial of a guest does not get what another account paid for it.
func TestNoAccountPaysForTheLicenseOfAnother(t *testing.T) {
	t.Parallel()

	dbtest.OnEngines(t, func(t *testing.T, url string) {
		s, owner := openShopAt(t, url), reqctx.CallerFrom(ada(t)).UserID
		for name, tt := range map[string]struct {
			buyer   context.Context
			claimer string // of the trial while the page is open
			want    string
			owner   string
		}{
			"another one claims it":  {ada(t), bob, "cancelled, license paid, money returned", bob},
			"the buyer claims it":    {ada(t), owner, "paid, license paid", owner},
			"nobody claims it":       {ada(t), "", "paid, license paid", owner},
			"a guest pays for bob's": {t.Context(), bob, "paid, license paid", bob},
		} {
			email := strings.ReplaceAll(strings.ReplaceAll(name, " ", "."), "'", "") + "@example.com"
			trial, key := s.tryOut(t, email)
			bought, err := s.Purchase(tt.buyer, "mail-pack", order.PurchaseRequest{
				TierID: "once", PaymentMethod: "card", LicenseKey: key,
			})
			if err != nil {
				t.Fatal(name, err)
			}
			if tt.claimer != "" {
				n, err := s.Claims.ClaimOrders(t.Context(), order.EmailKey(email), tt.claimer)
				if n != 1 || err != nil {
					t.Fatal(name, n, err)
				}
			}
			s.tell(t, paid(s.order(t, bought.OrderID)))
			if got := s.state(t, bought.OrderID); got != tt.want {
				t.Errorf("%s: %s, want %s", name, got, tt.want)
			}
			if l := s.license(t, trial); l.UserID != tt.owner || l.Trial == (tt.want == "paid, license paid") {
				t.Errorf("%s: the license is %s's, trial: %v", name, l.UserID, l.Trial)
			}
		}
	})
}

// So it does if the provider tells of a refund before it tells of the payment: whoever claimed the trial keeps it.
func TestARefundToldFirstRevokesNoTrialOfAnother(t *testing.T) {
	t.Parallel()

	for claimer, want := range map[string]string{
		bob: "refunded, license paid", "": "refunded, license paid, license revoked",
	} {
		s := openShop(t)
		trial, key := s.tryOut(t, "ada@example.com")
		bought, err := s.Purchase(ada(t), "mail-pack", order.PurchaseRequest{
			TierID: "once", PaymentMethod: "card", LicenseKey: key,
		})
		if err != nil {
			t.Fatal(err)
		}
		if claimer != "" {
			if n, err := s.Claims.ClaimOrders(t.Context(), order.EmailKey("ada@example.com"), claimer); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		o := s.order(t, bought.OrderID)
		s.tell(t, backEvent(o, "back", 4990))
		s.tell(t, paid(o))
		s.tell(t, backEvent(o, "again", 4990))
		if got := s.state(t, o.ID); got != want {
			t.Errorf("claimed by %q: %s, want %s", claimer, got, want)
		}
		if l := s.license(t, trial); claimer == bob && (l.UserID != bob || !l.Trial || !l.RevokedAt.IsZero()) {
			t.Errorf("the license is %s's, trial: %v, revoked: %v", l.UserID, l.Trial, l.RevokedAt)
		}
		if got := s.state(t, trial.ID); claimer == bob && got != "paid, license paid" {
			t.Errorf("the trial is %s", got)
		}
	}
}
