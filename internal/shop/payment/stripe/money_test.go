package stripe

import (
	"errors"
	"testing"

	"stoa/internal/shop/payment"
)

// Stripe's decimals are not those of ISO 4217; see docs.stripe.com/currencies.
func TestAmountsAreWhatStripeCharges(t *testing.T) {
	t.Parallel()

	const refused = -1
	tests := []struct {
		currency string
		exponent int // ISO 4217
		minor    int64
		want     int64
	}{
		{"EUR", 2, 2990, 2990},
		{"USD", 2, 1, 1},
		{"HUF", 2, 4990, 4990}, // whole units are only for payouts
		{"TWD", 2, 800_45, 800_45},
		{"JPY", 0, 500, 500},
		{"KRW", 0, 12000, 12000},
		{"XPF", 0, 7, 7},
		{"MGA", 2, 500_000, 5000}, // an ariary has no decimals here
		{"MGA", 2, 500_050, refused},
		{"ISK", 0, 5, 500}, // none in ISO 4217, two here, which are 00
		{"UGX", 0, 5, 500},
		{"KWD", 3, 5120, 5120},
		{"KWD", 3, 5124, refused}, // the last digit must be 0
		{"BHD", 3, 10, 10},
		{"JOD", 3, 5, refused},
		{"OMR", 3, 1_000_000_000_000, 1_000_000_000_000},
		{"TND", 3, 990, 990},
		{"IQD", 3, 1000, 100}, // three decimals in ISO 4217 and not on Stripe's list
		{"IQD", 3, 1001, refused},
		{"CLF", 4, 10000, 100},
		{"CLF", 4, 10001, refused},
		{"UYI", 0, 3, 300},
		{"EUR", 2, 0, 0},
		{"EUR", 2, 1_000_000_000_000, 1_000_000_000_000},
		{"UYI", 0, 1_000_000_000_000, 100_000_000_000_000},
	}
	for _, tt := range tests {
		got, err := toStripe(tt.minor, tt.exponent, tt.currency)
		if tt.want == refused {
			if !errors.Is(err, payment.ErrRefused) {
				t.Errorf("%d %s = %d, %v; want ErrRefused", tt.minor, tt.currency, got, err)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("%d %s = %d, %v; want %d", tt.minor, tt.currency, got, err, tt.want)
		}
	}
}
