package order

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// Followers are the further orders of licenses in the database: those that buy a trial, change a plan or renew a term.
type Followers interface {
	// OpenFollower returns the pending order that follows for a license, if there is one.
	OpenFollower(ctx context.Context, licenseID string) (Order, bool, error)

	// ChangeByInvoice returns the change that an invoice of a provider is for, if there is one.
	ChangeByInvoice(ctx context.Context, provider, invoice string) (Order, bool, error)

	// Siblings returns all orders of a license, the newest first. It locks none.
	Siblings(ctx context.Context, licenseID string) ([]Order, error)

	// Orphans returns at most 100 pending orders of licenses that were revoked, the oldest first: those after an order, of
	// which only the time and the id count.
	Orphans(ctx context.Context, after Order) ([]Order, error)

	// Seated returns the instances that have a seat of a license, the oldest first.
	Seated(ctx context.Context, licenseID string) ([]string, error)

	// PutTerms keeps what an order that follows does to its license. Of terms that are kept, it overwrites Applied and
	// Undo. TermsOf returns them, or an errs.NotFound error.
	PutTerms(ctx context.Context, orderID string, t Terms) error
	TermsOf(ctx context.Context, o Order) (Terms, error)
}

// Terms is what an order that follows does to its license once it is paid.
type Terms struct {
	license.Terms

	// Price is what the plan of a change costs from then on, in the units of the order.
	Price int64
	// Later says that a change begins with the next period.
	Later bool
	// Own says that stoa computed what a change at once costs, although the license has a subscription: that ends, and
	// its provider does not know of periods that were paid ahead. The subscription is over once the change is paid.
	Own bool
	// Until is the end of the license's term for which a change at once is priced by stoa. Zero: the term has no end, or
	// the provider has the price.
	Until time.Time
	// Applied is nil until the order takes effect.
	Applied *Applied
	// Undo says that the provider of the license's subscription is still to be told: that the order was taken back, that
	// its plan begins with the next period after all, or, for an Own change, that the subscription is over.
	Undo bool
}

// Applied is what it takes to take an order back.
type Applied struct {
	// Version is that of the license before, by which orders that took effect are in order.
	Version int64 `json:"version"`
	// Before is what the license had before a change.
	Before license.Before `json:"before"`
	// Term is the anchor of the term to which a renewal added a period, or which a change began: that change, or one of
	// the same billing period before it, which was taken back.
	Term time.Time `json:"term,omitzero"`
	// What is left of a change that was Later, once it is taken back: Over says that it had begun, and Withdrawn is the
	// request by which its owner did so before.
	Over      bool   `json:"over,omitempty"`
	Withdrawn string `json:"withdrawn,omitempty"`
}

// termsOf returns what a license gets of a tier.
func termsOf(t product.Tier) Terms {
	return Terms{
		Terms: license.Terms{TierID: t.ID, Features: t.Features, MaxInstances: t.MaxInstances, Months: t.Period.Months()},
		Price: t.Price.Minor,
	}
}

// follow makes a draft an order that buys a trial, and returns the key of that.
func (s *Service) follow(o *Order, l license.License) (license.Key, error) {
	o.LicenseID, o.Follows = l.ID, true
	return s.Vault.Open(l)
}

// addFollower stores an order that buys a trial. If nothing is left to pay, that is bought at once. It returns
// ErrNotTrial, ErrBeingBought and ErrSeatsInUse.
func (s *Service) addFollower(ctx context.Context, tx Store, o Order, t Terms) error {
	// The license is locked, so that one of several orders at once is the first.
	l, err := tx.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	if !buyable(l, o.ProductID, o.UserID) {
		return ErrNotTrial
	}
	if err := s.mayFollow(ctx, tx, l, t.MaxInstances); err != nil {
		return err
	}
	return s.putFollower(ctx, tx, &o, l, t)
}

// putFollower stores an order that follows. If nothing is left to pay it takes effect at once. tx has locked the
// license.
func (s *Service) putFollower(ctx context.Context, tx Store, o *Order, l license.License, t Terms) error {
	if err := tx.CreateOrder(ctx, *o); err != nil {
		return err
	}
	if err := tx.PutTerms(ctx, o.ID, t); err != nil || o.Status() != Paid {
		return err
	}
	return s.takeEffect(ctx, tx, *o, l, t)
}

// mayFollow returns ErrBeingBought if another order of a license is open, or if all of it is being refunded, and
// ErrSeatsInUse if more instances use it than it is to have. tx has locked the license.
func (s *Service) mayFollow(ctx context.Context, tx Store, l license.License, seats int) error {
	if open, ok, err := tx.OpenFollower(ctx, l.ID); err != nil {
		return err
	} else if ok {
		return ErrBeingBought.With("orderId", open.ID)
	}
	if id, err := s.beingRefunded(ctx, tx, l.ID); err != nil {
		return err
	} else if id != "" {
		return ErrBeingBought.With("orderId", id)
	}
	if l.Instances <= seats {
		return nil
	}
	seated, err := tx.Seated(ctx, l.ID)
	if err != nil {
		return err
	}
	return ErrSeatsInUse.With("maxInstances", seats).With("instances", seated)
}

// beingRefunded returns the order that issued or bought a license, if all of it is being refunded; else "".
func (s *Service) beingRefunded(ctx context.Context, tx Store, licenseID string) (string, error) {
	list, err := tx.Siblings(ctx, licenseID)
	if err != nil {
		return "", err
	}
	for _, o := range list {
		if o.Kind != "" {
			continue
		}
		due, ok, err := tx.RefundDueOf(ctx, o.ID)
		if err != nil {
			return "", err
		}
		if !ok {
			continue
		}
		// The last part revokes the license as all at once does. The order is not locked, so nothing of it is recorded.
		if paid, err := paidFor(ctx, tx, o); err != nil || due.isLast(paid) {
			return o.ID, err
		}
	}
	return "", nil
}

// takeEffect does to a license what an order is paid for. tx has locked both.
func (s *Service) takeEffect(ctx context.Context, tx Store, o Order, l license.License, t Terms) error {
	switch o.Kind {
	case Change:
		return s.applyChange(ctx, tx, o, l, t)
	case Renewal:
		return s.applyRenewal(ctx, tx, o, l, t)
	}
	return s.buy(ctx, tx, o, l, t.Terms)
}

// settleFollower does what settle does for the first payment of an order that follows. If that can no longer take
// effect, the order is cancelled: the payment is refunded afterwards. tx has locked the order.
func (s *Service) settleFollower(ctx context.Context, tx Store, o *Order) error {
	l, err := tx.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	t, err := tx.TermsOf(ctx, *o)
	if err != nil {
		return err
	}
	gone, err := s.overtaken(ctx, tx, *o, l, t)
	if err != nil {
		return err
	}
	switch back := !o.RefundedAt.IsZero(); {
	case back && (o.Kind != "" || l.RevokedAt.IsZero() && !o.mayBuy(l)):
		// The provider told of the refund first: there is nothing that it could take back.
		return s.settled(ctx, tx, *o)
	case gone && !back:
		return s.markCancelled(ctx, tx, o, s.Now())
	}
	err = s.takeEffect(ctx, tx, *o, l, t)
	if kind := errs.KindOf(err); kind == errs.Conflict || kind == errs.Invalid {
		return s.markCancelled(ctx, tx, o, s.Now())
	} else if err != nil {
		return err
	}
	return s.settled(ctx, tx, *o)
}

// overtaken reports whether what happened since an order was placed keeps it from taking effect: its license was
// revoked, bought or claimed by somebody else, has another term or more instances than was paid for, or all of it is
// being refunded.
// tx has locked both.
func (s *Service) overtaken(ctx context.Context, tx Store, o Order, l license.License, t Terms) (bool, error) {
	switch {
	case !l.RevokedAt.IsZero(), l.Trial != (o.Kind == ""):
		return true, nil
	case o.Kind == "" && !o.mayBuy(l):
		return true, nil
	case o.Kind != Renewal && !t.Later && l.Instances > t.MaxInstances:
		return true, nil // a plan that begins with a period takes no seat away
	case !t.Until.IsZero() && l.ExpiresAt.Sub(t.Until).Abs() > termSlack:
		return true, nil // the price is for another term
	}
	if t.Own {
		list, err := tx.Siblings(ctx, l.ID)
		if err != nil || slices.ContainsFunc(list, func(o Order) bool { return o.Renews() }) {
			return err == nil, err // the subscription goes on after all
		}
	}
	id, err := s.beingRefunded(ctx, tx, l.ID)
	return id != "" && id != o.ID, err
}

// termSlack is by how much the end of a term may differ from that which was paid for: providers tell late of the moment
// of a first payment, which moves the term, and its end by up to three days more where a month is shorter.
const termSlack = 5 * 24 * time.Hour

// CancelOrphans cancels the pending orders of licenses that were revoked. What is paid all the same is refunded. Those
// that cannot be cancelled yet do not hold up the others.
func (s *Service) CancelOrphans(ctx context.Context, log *slog.Logger) error {
	var last Order
	for {
		list, err := s.Store.Orphans(ctx, last)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, o := range list {
			if err := s.cancelOrphan(ctx, o); ctx.Err() != nil {
				return ctx.Err()
			} else if errors.Is(err, ErrOtherProvider) {
				log.DebugContext(ctx, "the order of a revoked license waits for its provider", slog.String("order", o.ID))
			} else if err != nil {
				log.WarnContext(ctx, "the order of a revoked license cannot be cancelled yet",
					slog.String("order", o.ID), slog.Any("err", err))
			}
			last = o
		}
	}
}

func (s *Service) cancelOrphan(ctx context.Context, o Order) error {
	err := s.ask(o, func() error { return s.Payments.Cancel(ctx, o.Payment) })
	if err == nil || errors.Is(err, payment.ErrRefused) { // refused: it is being paid, and then refunded
		err = s.giveUp(ctx, o)
	}
	return err
}
