package storefront

import (
	"strconv"
	"strings"

	"stoa/internal/shop/product"
)

// money writes an amount.
func (p *Pages) money(m product.Money) string {
	exp, _ := product.Exponent(m.Currency)
	digits := strconv.FormatInt(m.Minor, 10)
	if missing := exp + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return p.words.Money(digits[:len(digits)-exp], digits[len(digits)-exp:], m.Currency)
}

// stars writes a rating with one decimal.
func (p *Pages) stars(rating float64) string { return p.words.Decimal(rating, 1) }
