package discount

import (
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// whole is 100 percent in the unit of Discount.Percent.
const whole = 100_00

// off returns what the code takes off a price in its currency: rounded half up to the minor unit, at most the
// price, and so much more that the rest can be charged.
func (d *Discount) off(price product.Money) product.Money {
	off := d.Amount.Minor
	if d.Percent > 0 {
		// Prices are bounded far below the overflow (product.ParseMoney).
		off = (2*price.Minor*int64(d.Percent) + whole) / (2 * whole)
	}
	off = min(off, price.Minor)
	exponent, _ := product.Exponent(price.Currency)
	off += (price.Minor - off) % payment.Step(price.Currency, exponent)
	return product.Money{Minor: off, Currency: price.Currency}
}
