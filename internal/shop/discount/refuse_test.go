package discount

import (
	"testing"
	"time"

	"stoa/internal/shop/product"
)

func TestTheFirstReasonThatHoldsIsGiven(t *testing.T) {
	t.Parallel()

	now := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	pro := product.Tier{ID: "pro", Price: product.Money{Minor: 4990, Currency: "EUR"}}
	// Everything is wrong at once; each step mends one thing.
	d := Discount{
		Amount:   product.Money{Minor: 100, Currency: "USD"},
		StartsAt: now.Add(time.Millisecond), EndsAt: now, MaxUses: 1, Uses: 1, Products: []string{"other"}, Tiers: []string{"free"},
	}
	for _, step := range []struct {
		want Reason
		mend func()
	}{
		{NotFound, func() { d.Active = true }},
		{NotApplicable, func() { d.Products = []string{"other", "mail-pack"} }},
		{NotApplicable, func() { d.Tiers = append(d.Tiers, "pro") }},
		{NotApplicable, func() { d.Amount.Currency = "EUR" }},
		{NotStarted, func() { d.StartsAt = now }},
		{Expired, func() { d.EndsAt = now.Add(time.Millisecond) }},
		{UsedUp, func() { d.MaxUses = 2 }},
		{"", func() {}},
	} {
		if got := d.refusal("mail-pack", pro, now); got != step.want {
			t.Errorf("refusal = %q, want %q", got, step.want)
		}
		step.mend()
	}
	free := product.Tier{ID: "pro", Price: product.Money{Currency: "EUR"}}
	if got := d.refusal("mail-pack", free, now); got != NotApplicable {
		t.Errorf("of a free tier: %q", got)
	}
	every := Discount{Percent: 10, Active: true}
	if got := every.refusal("whatever", pro, now); got != "" {
		t.Errorf("without any bound: %q", got)
	}
	for why, message := range messages {
		if message == "" || Refused(why).Error() == "" {
			t.Errorf("%s has no message", why)
		}
	}
}
