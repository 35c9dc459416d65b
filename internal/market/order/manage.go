package order

import (
	"context"
	"errors"

	"stoa/internal/audit"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
	"stoa/internal/market/payment"
)

// Find returns orders for administrators, the newest first, and how many
// there are on all pages. It returns VALIDATION_ERROR for what Query.Issues
// finds.
func (s *Service) Find(ctx context.Context, q Query) ([]Listed, int, error) {
	if err := errs.Validation(q.Issues()...); err != nil {
		return nil, 0, err
	}
	return s.Store.FindOrders(ctx, q)
}

// Get returns an order for administrators, or ErrNotFound.
func (s *Service) Get(ctx context.Context, id string) (Listed, error) {
	if !cuid2.Plausible(id) {
		return Listed{}, ErrNotFound
	}
	found, _, err := s.Store.FindOrders(ctx, Query{ID: id, Limit: 1})
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Listed{}, err
	}
	return found[0], nil
}

// TestPayments reports whether purchases settle at once, without money.
func (s *Service) TestPayments() bool { return s.Payments.Mode() == payment.Instant }

// noOrder is what a client is told when the store finds no order.
func noOrder(err error) error {
	if errs.KindOf(err) == errs.NotFound {
		return ErrNotFound
	}
	return err
}

// Refund gives back everything that was paid for an order, revokes its
// licence for good, records that, and ends its subscription. What the provider
// gave back stays given back, whatever happens here: it tells by its webhook too,
// and asking again refunds nothing more.
//
// The provider of a pending order is asked about it first: its webhook may be lost.
// Refunding a refunded order again changes nothing and returns it.
//
// It returns ErrNotFound, ErrNotRefundable, ErrOtherProvider,
// ErrRefundRefused and ErrProviderUnreachable.
func (s *Service) Refund(ctx context.Context, id string) (Listed, error) {
	o, err := s.Get(ctx, id)
	if err != nil {
		return Listed{}, err
	}
	if o, err = s.lookedUp(ctx, o); err != nil {
		return Listed{}, err
	}
	if !o.RefundedAt.IsZero() {
		return o, nil
	}
	if o.Status() != Paid && !o.refundDue() {
		return Listed{}, ErrNotRefundable
	}
	if err := s.ask(o.Order, func() error { return s.Payments.Refund(ctx, o.ID, o.Payment) }); err != nil {
		if errors.Is(err, payment.ErrRefused) {
			return Listed{}, ErrRefundRefused.Because(err)
		}
		return Listed{}, err
	}
	o, err = s.change(ctx, o, audit.OrderRefund, func(tx Store, o *Order) error {
		// Its webhook may have been quicker.
		if o.PaidAt.IsZero() {
			return ErrNotRefundable
		}
		return s.markRefunded(ctx, tx, o, s.Now())
	})
	if err == nil && o.endDue() {
		// After the refund, which may be refused: a buyer who is not given the money
		// back keeps what it buys. If it fails, EndedAt says so, and it is swept up.
		_ = s.endSubscription(ctx, &o.Order, new(Notice))
	}
	return o, err
}

// Cancel cancels an order that is pending: it can no longer be paid, and its
// licence is revoked. What is paid all the same, because the buyer was about to,
// is given back (TakeEvent). Cancelling a cancelled order again changes nothing and
// returns it.
//
// It returns ErrNotFound, ErrNotCancellable, ErrOtherProvider, ErrBeingPaid
// and ErrProviderUnreachable.
func (s *Service) Cancel(ctx context.Context, id string) (Listed, error) {
	o, err := s.Get(ctx, id)
	if err != nil {
		return Listed{}, err
	}
	switch o.Status() {
	case Pending:
	case Cancelled:
		return o, nil
	case Paid, Refunded:
		return Listed{}, ErrNotCancellable
	}
	err = s.ask(o.Order, func() error { return s.Payments.Cancel(ctx, o.Payment) })
	if errors.Is(err, payment.ErrRefused) {
		err = s.completed(ctx, o, err)
	}
	if err != nil {
		return Listed{}, err
	}
	return s.change(ctx, o, audit.OrderCancel, func(tx Store, o *Order) error {
		switch o.Status() {
		case Pending:
			return s.markCancelled(ctx, tx, o, s.Now())
		case Cancelled: // its webhook was quicker
			return nil
		case Paid, Refunded:
		}
		return ErrNotCancellable
	})
}

// completed returns nil if it is known what came of a page that was completed, so
// that cancelling its order was refused: that decides.
func (s *Service) completed(ctx context.Context, o Listed, refused error) error {
	now, err := s.lookedUp(ctx, o)
	if err == nil && now.Status() == Pending {
		err = ErrBeingPaid.Because(refused)
	}
	return err
}

// lookedUp returns an order as it is now, after the provider of a pending one was
// asked about it: its webhook may be lost. It returns ErrProviderUnreachable where
// that leaves open whether it is paid.
func (s *Service) lookedUp(ctx context.Context, o Listed) (Listed, error) {
	if o.Status() != Pending || o.Provider != s.Payments.Name() || o.Payment.Session == "" {
		return o, nil
	}
	_, lookErr := s.lookUp(ctx, o.Order)
	o, err := s.Get(ctx, o.ID)
	if err != nil {
		return Listed{}, err
	}
	// An error after the order was changed is of what follows, and is swept up.
	if lookErr != nil && o.Status() == Pending && !errors.Is(lookErr, payment.ErrRefused) {
		return Listed{}, lookErr
	}
	return o, nil
}

// ask asks the provider of an order for something. Where no money moved there is
// nobody to ask. Errors other than payment.ErrRefused become
// ErrProviderUnreachable.
func (s *Service) ask(o Order, what func() error) error {
	switch {
	case o.Provider == "" || o.Provider == (payment.Test{}).Name():
		return nil
	case o.Provider != s.Payments.Name():
		return ErrOtherProvider
	}
	return orUnreachable(what())
}

// orUnreachable returns what a provider returned, but an outage as
// ErrProviderUnreachable.
func orUnreachable(err error) error {
	if err == nil || errors.Is(err, payment.ErrRefused) {
		return err
	}
	return ErrProviderUnreachable.Because(err)
}

// change applies fn to an order and records it, in one transaction that has
// locked the order.
func (s *Service) change(ctx context.Context, out Listed, action audit.Action, fn func(Store, *Order) error) (Listed, error) {
	err := s.Store.InTx(ctx, func(tx Store) error {
		o, err := tx.OrderByID(ctx, out.ID)
		if err != nil {
			return noOrder(err)
		}
		if err := fn(tx, &o); err != nil {
			return err
		}
		out.Order = o
		return tx.Record(ctx, audit.New(ctx, s.Now(), action, audit.Target{Type: "order", ID: o.ID}, audit.Details{
			"product": out.ProductSlug, "amount": o.Amount.Amount(), "currency": o.Amount.Currency, "licenseId": o.LicenseID,
		}))
	})
	if err != nil {
		return Listed{}, err
	}
	return out, nil
}
