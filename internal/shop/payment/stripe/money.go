package stripe

import (
	"fmt"

	"stoa/internal/shop/payment"
)

// toStripe converts an amount to Stripe's decimals. It does not round: the error is payment.ErrRefused if
// Stripe cannot charge exactly that amount.
func toStripe(minor int64, exponent int, currency string) (int64, error) {
	theirs, step := payment.Units(currency)
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
