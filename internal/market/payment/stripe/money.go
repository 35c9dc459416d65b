package stripe

import (
	"fmt"
	"strings"

	"stoa/internal/market/payment"
)

// Stripe's own decimals, where they differ from the two that most currencies
// have. They are not those of ISO 4217: the ariary has none here, and the króna
// and the Ugandan shilling, which have none, are given as if they had two
// (https://docs.stripe.com/currencies).
const (
	noDecimals    = "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF"
	threeDecimals = "BHD JOD KWD OMR TND"
)

// decimals returns how many decimals amounts of a currency have at Stripe, and
// what every amount must be a multiple of.
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

func listed(list, currency string) bool {
	return len(currency) == 3 && strings.Contains(" "+list+" ", " "+currency+" ")
}

// toStripe returns an amount as Stripe counts it. It returns an error that is
// payment.ErrRefused for one that Stripe cannot charge exactly: nothing is
// rounded.
func toStripe(minor int64, exponent int, currency string) (int64, error) {
	theirs, step := decimals(currency)
	amount := minor
	for e := exponent; e < theirs; e++ {
		amount *= 10 // market.Money is bounded far below where this overflows
	}
	exact := true
	for e := exponent; e > theirs; e-- {
		exact = exact && amount%10 == 0
		amount /= 10
	}
	if !exact || amount%step != 0 {
		return 0, fmt.Errorf("stripe: an amount of %d with %d decimals cannot be charged in %s: %w", minor, exponent, currency, payment.ErrRefused)
	}
	return amount, nil
}
