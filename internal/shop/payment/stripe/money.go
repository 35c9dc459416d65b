package stripe

import (
	"fmt"
	"strings"

	"stoa/internal/shop/payment"
)

// The currencies for which Stripe does not use two decimals. Stripe's decimals are not those of
// ISO 4217: the ariary has none here, and the króna and the Ugandan shilling, which have none, are
// written with two (https://docs.stripe.com/currencies).
const (
	noDecimals    = "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF"
	threeDecimals = "BHD JOD KWD OMR TND"
)

// decimals returns how many decimals Stripe uses for a currency, and of what every amount must be a
// multiple.
func decimals(currency string) (exponent int, step int64) {
	switch {
	case listed(noDecimals, currency):
		return 0, 1
	case listed(threeDecimals, currency):
		return 3, 10 // the last digit must be 0
	case currency == "ISK" || currency == "UGX":
		return 2, 100 // whole units, written with two decimals
	}
	return 2, 1
}

// listed reports whether a currency is in a list.
func listed(list, currency string) bool {
	return len(currency) == 3 && strings.Contains(" "+list+" ", " "+currency+" ")
}

// toStripe converts an amount to Stripe's decimals. It does not round: the error is payment.ErrRefused if
// Stripe cannot charge exactly that amount.
func toStripe(minor int64, exponent int, currency string) (int64, error) {
	theirs, step := decimals(currency)
	amount := minor
	for e := exponent; e < theirs; e++ {
		amount *= 10 // product.Money is bounded far below the overflow
	}
	exact := true
	for e := exponent; e > theirs; e-- {
		exact = exact && amount%10 == 0
		amount /= 10
	}
	if !exact || amount%step != 0 {
		return 0, fmt.Errorf("stripe: an amount of %d with %d decimals cannot be charged in %s: %w",
			minor, exponent, currency, payment.ErrRefused)
	}
	return amount, nil
}
