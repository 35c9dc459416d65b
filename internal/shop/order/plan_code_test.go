package order_test

import (
	"fmt"
	"slices"
	"testing"

	"stoa/internal/shop/catalog"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/order"
	"stoa/internal/store"
)

// buysWith lets ada buy a tier with the code of these tests. The provider has her subscription, unless alone, or unless
// nothing is to be paid.
func (s *shop) buysWith(t *testing.T, tier string, alone bool) order.Order {
	t.Helper()
	bought, err := s.Purchase(ada(t), "mail-pack", order.PurchaseRequest{
		TierID: tier, PaymentMethod: "card", DiscountCode: "last",
	})
	if err != nil {
		t.Fatal(err)
	}
	if o := s.order(t, bought.OrderID); o.Status() != order.Paid {
		s.tell(t, s.paidNow(o, alone))
	}
	s.bank.asked()
	return s.order(t, bought.OrderID)
}

// sellTwins lets the shop sell three tiers of the same price, and a dearer one.
func (s *shop) sellTwins(t *testing.T) {
	t.Helper()
	const plans = `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack, category: c, shortDescription: s,
		description: d, icon: /i.svg, pricingTiers: [
		{id: solo, name: Solo, price: 20, billingPeriod: monthly},
		{id: duo, name: Duo, price: 20, billingPeriod: monthly},
		{id: twin, name: Twin, price: 20, billingPeriod: monthly},
		{id: enterprise, name: Enterprise, price: 40, billingPeriod: monthly}]}]}`
	if _, err := s.Products.(*catalog.Service).ImportBytes(t.Context(), []byte(plans)); err != nil {
		t.Fatal(err)
	}
}

// A code of some tiers that holds for ever reduces no other one after a change of plan, whatever that costs: in the
// preview, at once, at the provider, and for who has no provider.
func TestACodeOfSomeTiersReducesNoOther(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name    string
		percent int
		alone   bool
		to      string
		due     int64  // of the preview
		asked   string // of the provider
	}{
		{"all of it taken off", 10000, true, "enterprise", 4000, ""},
		{"all of it taken off, another tier of the price", 10000, true, "twin", 2000, ""},
		{"all of it taken off, a tier that the code names", 10000, true, "duo", 0, ""},
		{"half of it taken off", 5000, true, "enterprise", 3000, ""},
		{"half of it taken off, another tier of the price", 5000, true, "twin", 1000, ""},
		{"half of it taken off, a tier that the code names", 5000, true, "duo", 0, ""},
		{"at the provider", 5000, false, "enterprise", 777, "4000"},
		{"at the provider, another tier of the price", 5000, false, "twin", 777, "2000"},
		{"at the provider, a tier that the code names", 5000, false, "duo", 777, "1000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := openShop(t)
			s.sellTwins(t)
			s.code(t, discount.Discount{
				Percent: tt.percent, Duration: discount.Forever, Tiers: []string{"solo", "duo", "other"},
			})
			o := s.buysWith(t, "solo", tt.alone)
			s.collects(777)
			quote, err := s.PreviewChange(ada(t), o.LicenseID, order.ChangeRequest{TierID: tt.to})
			if err != nil || quote.Due.Minor != tt.due {
				t.Fatalf("the change is to cost %s, %v; want %d", quote.Due, err, tt.due)
			}
			b := s.change(t, o, tt.to)
			if got := s.order(t, b.OrderID); got.Amount.Minor != tt.due {
				t.Errorf("the change costs %s", got.Amount)
			}
			if !tt.alone {
				sub := " sub-" + o.ID + " "
				want := []string{"preview" + sub + tt.asked, "preview" + sub + tt.asked, "change" + sub + tt.asked}
				if got := s.bank.asked(); !slices.Equal(got, want) {
					t.Errorf("the provider was asked for %q, want %q", got, want)
				}
			} else if tier := s.license(t, o).TierID; (tier == tt.to) != (tt.due == 0) {
				t.Errorf("before anything is paid the license has %s", tier)
			}
		})
	}
}

// A renewal of a tier that the code is not for has its whole price. What was bought stays reduced, also if the code is
// for other tiers by now.
func TestARenewalIsReducedByACodeOfItsTier(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.sellTwins(t)
	s.code(t, discount.Discount{Percent: 5000, Duration: discount.Forever, Tiers: []string{"solo"}})
	o := s.buysWith(t, "solo", true)
	renews := func(want int64, code string) {
		t.Helper()
		b, err := s.Renew(ada(t), o.LicenseID, order.RenewalRequest{})
		if err != nil {
			t.Fatal(err)
		}
		r := s.order(t, b.OrderID)
		if r.Amount.Minor != want || r.Discount.Code != code {
			t.Errorf("the renewal costs %s with the code %q, want %d with %q", r.Amount, r.Discount.Code, want, code)
		}
		s.tell(t, s.paidNow(r, true))
	}
	becomes := func(tier string) {
		t.Helper()
		b := s.change(t, o, tier)
		s.tell(t, s.paidNow(s.order(t, b.OrderID), true))
		if got := s.license(t, o).TierID; got != tier {
			t.Fatalf("the license has %s, not %s", got, tier)
		}
	}
	renews(1000, "LAST")
	becomes("enterprise")
	renews(4000, "")

	codes := store.NewDiscounts(s.db)
	d, err := codes.DiscountByID(t.Context(), discountID)
	if err != nil {
		t.Fatal(err)
	}
	d.Tiers, d.Version = []string{"twin"}, d.Version+1
	if err := codes.UpdateDiscount(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	s.change(t, o, "solo") // with the next period
	renews(1000, "LAST")
	s.has(t, o, "solo", s.license(t, o).ExpiresAt, "")
	renews(1000, "LAST")
	becomes("duo")
	renews(2000, "")
	s.change(t, o, "twin") // which the code is for by now
	renews(1000, "LAST")
}

// Figures of a code have the periods of the tiers that it is for.
func TestAPeriodOfATierThatACodeIsNotForHasNoCode(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.sellTwins(t)
	s.code(t, discount.Discount{Percent: 5000, Duration: discount.Forever, Tiers: []string{"solo", "duo"}})
	o := s.buysWith(t, "solo", false)
	end := s.license(t, o).ExpiresAt
	s.collects(777)
	for n, tier := range []string{"solo", "duo", "enterprise"} {
		if tier != "solo" {
			s.change(t, o, tier)
		}
		s.clock.Advance(end.AddDate(0, n, 0).Sub(s.clock.Now()))
		e := period(o, n+2)
		e.At, e.Until, e.Reference.Subscription = s.clock.Now(), end.AddDate(0, n+1, 0), "sub-"+o.ID
		s.tell(t, e)
	}
	var got []string
	list, err := s.store.PaymentsOf(t.Context(), o.ID)
	for _, p := range list {
		got = append(got, fmt.Sprintf("[%s] [%s]", p.TierID, p.Code))
	}
	want := []string{"[] [LAST]", "[] [LAST]", "[duo] [LAST]", "[enterprise] []"}
	if !slices.Equal(got, want) || err != nil {
		t.Errorf("%v: the payments are %q, want %q", err, got, want)
	}
}
