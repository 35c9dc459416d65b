package discount

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa/internal/shop/product"
)

// Duration says for which payments of a subscription a discount holds. For what is paid once both are the
// same.
type Duration string

// The durations.
const (
	Once    Duration = "once"    // the first payment
	Forever Duration = "forever" // every payment
)

// Discount is a code and what it is worth.
type Discount struct {
	ID   string
	Code string // as ParseCode returns it

	// Percent is in hundredths of a percent, Amount in a currency. One of them is zero.
	Percent int
	Amount  product.Money

	// Products are slugs, Tiers ids of tiers. Empty means all.
	Products, Tiers []string
	Duration        Duration

	// The code holds from StartsAt on and before EndsAt. Zero means no bound.
	StartsAt, EndsAt time.Time
	// MaxUses is how many orders may use the code. Zero means any number.
	MaxUses         int
	OncePerCustomer bool
	// Active is false if administrators switched the code off: then it is as unknown as any other.
	Active bool

	// Uses is how many orders use the code; those that were cancelled do not. Used says that one did, ever.
	Uses int
	Used bool

	// Version changes with every change by an administrator, and with no use.
	Version              int64
	CreatedAt, UpdatedAt time.Time
}

// PercentOff returns Percent as a JSON number without trailing zeros: 12.5.
func (d *Discount) PercentOff() json.Number {
	text := strings.TrimRight(fmt.Sprintf("%d.%02d", d.Percent/100, d.Percent%100), "0")
	return json.Number(strings.TrimSuffix(text, "."))
}

// appliesTo reports whether the code is for a tier of a product. Nothing is taken off what is free.
func (d *Discount) appliesTo(slug string, t product.Tier) bool {
	return t.Price.Minor > 0 &&
		(d.Percent > 0 || d.Amount.Currency == t.Price.Currency) &&
		(len(d.Products) == 0 || slices.Contains(d.Products, slug)) && d.IsFor(t.ID)
}

// IsFor reports whether the code names a tier, or none.
func (d *Discount) IsFor(tierID string) bool {
	return len(d.Tiers) == 0 || slices.Contains(d.Tiers, tierID)
}

// usedUp reports whether no further order may use the code.
func (d *Discount) usedUp() bool { return d.MaxUses > 0 && d.Uses >= d.MaxUses }

// Quote is what a code takes off a price. The zero value is no discount.
type Quote struct {
	Discount Discount
	Off      product.Money // at most the price
}

// None reports whether there is no discount.
func (q Quote) None() bool { return q.Discount.ID == "" }

// Total returns what is left of the price that the quote is for.
func (q Quote) Total(price product.Money) product.Money {
	price.Minor -= q.Off.Minor
	return price
}
