package storefront

import (
	"testing"

	"stoa/internal/html/wording"
	"stoa/internal/shop/product"
)

// Amounts are written as browsers write them, so that a price does not change on the way
// from a product's page to the checkout.
func TestMoneyIsWrittenAsBrowsersDo(t *testing.T) {
	t.Parallel()

	built, err := wording.Built()
	if err != nil {
		t.Fatal(err)
	}
	all, err := New(built.Words, nil)
	if err != nil {
		t.Fatal(err)
	}
	pages := all.In("en")
	for _, tt := range []struct {
		minor    int64
		currency string
		want     string
	}{
		{1990, "EUR", "€19.90"},
		{2900, "EUR", "€29"},
		{5, "USD", "$0.05"},
		{123456789, "GBP", "£1,234,567.89"},
		{5000, "JPY", "¥5,000"},
		{1500, "KWD", "KWD\u00a01.500"},
		{100, "CHF", "CHF\u00a01"},
	} {
		if got := pages.money(product.Money{Minor: tt.minor, Currency: tt.currency}); got != tt.want {
			t.Errorf("%d %s = %q, want %q", tt.minor, tt.currency, got, tt.want)
		}
	}
}
