package discount

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/product"
)

// Service says what codes are worth, and manages them. All fields are required. It is safe for concurrent use.
type Service struct {
	Store Store
	Now   func() time.Time

	// Mailbox returns the form of an address in which mailboxes are compared.
	Mailbox func(address string) string
	// Secret keys the hashes of customers. It must never change: they cannot be computed again.
	Secret []byte
}

// noCode is looked up in place of a text that is no code, so that its answer takes as long.
const noCode = "-"

// Quote returns what a code takes off the price of a tier of a product now. It takes no use, and knows nothing
// of the customer. It returns ErrRefused.
func (s *Service) Quote(ctx context.Context, slug string, t product.Tier, code string) (Quote, error) {
	parsed, ok := ParseCode(code)
	if !ok {
		parsed = noCode
	}
	d, err := s.Store.DiscountByCode(ctx, parsed)
	if errs.KindOf(err) == errs.NotFound {
		return Quote{}, Refused(NotFound)
	} else if err != nil {
		return Quote{}, err
	}
	if why := d.refusal(slug, t, s.Now()); why != "" {
		return Quote{}, Refused(why)
	}
	return Quote{Discount: d, Off: d.off(t.Price)}, nil
}

// Held returns what a discount takes off the price of a tier of a product, whether or not its code can be used now: for
// a license of which the tier bought was bought with it. That one stays reduced, whatever the code is for by now; of
// another tier that it is not for, it is no discount. An amount in another currency takes off nothing.
func (s *Service) Held(ctx context.Context, id, slug, bought string, t product.Tier) (Quote, error) {
	d, err := s.Store.DiscountByID(ctx, id)
	if err != nil || t.ID != bought && !d.appliesTo(slug, t) {
		return Quote{}, err
	}
	if d.Percent == 0 && d.Amount.Currency != t.Price.Currency {
		d.Amount.Minor = 0
	}
	return Quote{Discount: d, Off: d.off(t.Price)}, nil
}
