package order

import (
	"context"
	"errors"

	"stoa/internal/shop/discount"
	"stoa/internal/shop/product"
)

// Discount is what a code took off the price of an order. It never changes, whatever becomes of the code.
type Discount struct {
	ID       string // of the discount.Discount
	Code     string
	Minor    int64 // what was taken off, in the units of Order.Amount
	Duration discount.Duration
}

func newDiscount(q discount.Quote) Discount {
	if q.None() {
		return Discount{}
	}
	return Discount{ID: q.Discount.ID, Code: q.Discount.Code, Minor: q.Off.Minor, Duration: q.Discount.Duration}
}

// None reports whether there is no discount.
func (d Discount) None() bool { return d.ID == "" }

// Off returns what was taken off the price.
func (o *Order) Off() product.Money {
	return product.Money{Minor: o.Discount.Minor, Currency: o.Amount.Currency}
}

// firstOnly reports whether the discount holds for the first payment of a subscription only.
func (o *Order) firstOnly() bool {
	return o.Kind == "" && o.reduced()
}

// reduced reports whether the order cost less than what follows it.
func (o *Order) reduced() bool {
	return o.Discount.Minor > 0 && o.Discount.Duration == discount.Once && o.Period.Months() > 0
}

// Discounts says what codes are worth. *discount.Service implements it.
type Discounts interface {
	// Quote returns what a code takes off the price of a tier of a product now, or discount.ErrRefused.
	Quote(ctx context.Context, slug string, t product.Tier, code string) (discount.Quote, error)

	// Held returns what a discount takes off the price of a tier of a product, whether or not its code can be used now.
	// Unless the tier is the one that was bought with it, it is no discount where the code is not for the tier.
	Held(ctx context.Context, id, slug, bought string, t product.Tier) (discount.Quote, error)

	// Keys returns the keys of a customer, sorted. Without any the customer is nobody.
	Keys(c discount.Customer) []string
}

// deduction is a quote and the customer who uses it.
type deduction struct {
	discount.Quote

	customer []string // if the code holds once for each
	held     bool     // another order of the license took the use
}

// Errors of add and take. The transaction is undone.
var (
	errUseGone      = errors.New("order: the discount changed, or was used up")
	errCustomerUsed = errors.New("order: the customer has used the discount")
)

// add records that a new order uses the discount. Call it before whatever makes other buyers wait.
func (l deduction) add(ctx context.Context, tx Store, o Order) error {
	if l.None() || l.held {
		return nil
	}
	ok, err := tx.AddUse(ctx, l.Discount.ID, o.ID, l.customer, o.CreatedAt)
	if err == nil && !ok {
		err = errCustomerUsed
	}
	return err
}

// take counts the use of the discount. Call it last in the transaction.
func (l deduction) take(ctx context.Context, tx Store) error {
	if l.None() || l.held {
		return nil
	}
	ok, err := tx.TakeUse(ctx, l.Discount.ID, l.Discount.Version)
	if err == nil && !ok {
		err = errUseGone
	}
	return err
}

// quoteTries is how often a purchase asks again what its code is worth, because an administrator changed it in
// the meantime.
const quoteTries = 10

// placeDiscounted is place with the request's code. It returns discount.ErrRefused.
func (s *Service) placeDiscounted(
	ctx context.Context, p product.Product, tier product.Tier, req PurchaseRequest,
) (Confirmation, error) {
	for range quoteTries {
		less, err := s.deduct(ctx, p, tier, req)
		if err != nil {
			return Confirmation{}, err
		}
		c, err := s.place(ctx, p, tier, req, less)
		switch {
		case errors.Is(err, errCustomerUsed):
			// What holds by now comes first: the code may be used up, too.
			if _, err = s.Discounts.Quote(ctx, p.Slug, tier, req.DiscountCode); err == nil {
				err = discount.Refused(discount.AlreadyUsed)
			}
			return Confirmation{}, err
		case !errors.Is(err, errUseGone):
			return c, err
		}
	}
	return Confirmation{}, discount.Refused(discount.UsedUp) // or changed all the time
}

// deduct returns what the request's code takes off, and for whom.
func (s *Service) deduct(
	ctx context.Context, p product.Product, tier product.Tier, req PurchaseRequest,
) (less deduction, err error) {
	if less.Quote, err = s.Discounts.Quote(ctx, p.Slug, tier, req.DiscountCode); err != nil {
		return less, err
	}
	if !less.Discount.OncePerCustomer {
		return less, nil
	}
	who, err := s.customer(ctx, req.Billing)
	if err != nil {
		return less, err
	}
	if less.customer = s.Discounts.Keys(who); len(less.customer) == 0 {
		return less, discount.Refused(discount.EmailRequired)
	}
	return less, nil
}
