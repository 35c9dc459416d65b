package payment

import "strings"

// The currencies for which Stripe, the only provider so far, does not use two decimals. Its decimals are not
// those of ISO 4217: the ariary has none here, and the króna and the Ugandan shilling, which have none, are
// written with two (https://docs.stripe.com/currencies).
const (
	noDecimals    = "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF"
	threeDecimals = "BHD JOD KWD OMR TND"
)

// Units returns how many decimals the provider uses for a currency, and of what every amount must be a
// multiple.
func Units(currency string) (exponent int, step int64) {
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

// Step returns of what an amount with that many decimals must be a multiple so that it can be charged.
func Step(currency string, exponent int) int64 {
	theirs, step := Units(currency)
	for ; exponent > theirs; theirs++ {
		step *= 10
	}
	for ; exponent < theirs; theirs-- {
		step = max(step/10, 1)
	}
	return step
}
