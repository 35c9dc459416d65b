package discount

import (
	"testing"

	"stoa/internal/shop/product"
)

func TestWhatIsTakenOffIsRoundedHalfUpAndCanBeCharged(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name     string
		percent  int
		amount   int64
		price    int64
		currency string
		want     int64
	}{
		{"a fifth", 20_00, 0, 4990, "EUR", 998},
		{"half a cent, up", 50_00, 0, 4999, "EUR", 2500},
		{"less than half a cent, down", 12_34, 0, 1000, "EUR", 123},
		{"a hundredth of a percent", 1, 0, 5000, "EUR", 1},
		{"too little to see", 1, 0, 4999, "EUR", 0},
		{"all of it", 100_00, 0, 4999, "EUR", 4999},
		{"all of the dearest", 100_00, 0, 1_000_000_000_000, "EUR", 1_000_000_000_000},
		{"without decimals", 33_33, 0, 1000, "JPY", 333},
		{"an amount", 0, 500, 4990, "EUR", 500},
		{"more than the price", 0, 5000, 4990, "EUR", 4990},
		{"until the rest is a step", 33_33, 0, 5120, "KWD", 1710},
		{"a rest that is a step", 50_00, 0, 5120, "KWD", 2560},
		{"an amount until the rest is a step", 0, 1, 5120, "KWD", 10},
		{"the ariary, which Stripe charges whole", 10_00, 0, 10_050, "MGA", 1050},
		{"the króna, which has no decimals at all", 10_00, 0, 15, "ISK", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := Discount{Percent: tt.percent}
			if tt.amount > 0 {
				d.Amount = product.Money{Minor: tt.amount, Currency: tt.currency}
			}
			price := product.Money{Minor: tt.price, Currency: tt.currency}
			if got := d.off(price); got.Minor != tt.want || got.Currency != tt.currency {
				t.Errorf("off = %v, want %d", got, tt.want)
			}
		})
	}
}

// FuzzOff: whatever is taken off, the rest is neither negative nor more than the price, and is a step if the
// price is one.
func FuzzOff(f *testing.F) {
	f.Add(2000, int64(0), int64(4990), uint8(0))
	f.Add(3333, int64(0), int64(5120), uint8(1))
	f.Add(0, int64(7), int64(100), uint8(2))
	currencies := []string{"EUR", "KWD", "MGA", "JPY", "ISK", "CLF", "IQD"}
	f.Fuzz(func(t *testing.T, percent int, amount, price int64, currency uint8) {
		c := currencies[int(currency)%len(currencies)]
		if percent < 0 || percent > whole || amount < 0 || amount > 1e12 || price < 0 || price > 1e12 {
			t.Skip()
		}
		d := Discount{Percent: percent, Amount: product.Money{Minor: amount, Currency: c}}
		q := Quote{Discount: d, Off: d.off(product.Money{Minor: price, Currency: c})}
		total := q.Total(product.Money{Minor: price, Currency: c})
		if total.Minor < 0 || total.Minor > price || total.Currency != c {
			t.Errorf("%d %s with %+v is %d", price, c, d, total.Minor)
		}
		if step := stepOf(c); total.Minor%step != 0 {
			t.Errorf("%d %s with %+v is %d, which cannot be charged", price, c, d, total.Minor)
		}
	})
}

// stepOf is what Stripe charges multiples of, in the units of ISO 4217, written out.
func stepOf(currency string) int64 {
	return map[string]int64{"EUR": 1, "KWD": 10, "MGA": 100, "JPY": 1, "ISK": 1, "CLF": 100, "IQD": 10}[currency]
}
