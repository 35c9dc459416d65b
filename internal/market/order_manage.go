package market

import (
	"context"
	"errors"

	"stoa/internal/audit"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
	"stoa/internal/market/payment"
)

// FindOrders returns orders for administrators, the newest first, and how many
// there are on all pages. It returns VALIDATION_ERROR for what OrderQuery.Issues
// finds.
func (s *OrderService) FindOrders(ctx context.Context, q OrderQuery) ([]OwnedOrder, int, error) {
	if err := errs.Validation(q.Issues()...); err != nil {
		return nil, 0, err
	}
	return s.Store.FindOrders(ctx, q)
}

// Order returns an order for administrators, or ErrOrderNotFound.
func (s *OrderService) Order(ctx context.Context, id string) (OwnedOrder, error) {
	if !cuid2.Plausible(id) {
		return OwnedOrder{}, ErrOrderNotFound
	}
	found, _, err := s.Store.FindOrders(ctx, OrderQuery{ID: id, Limit: 1})
	if err == nil && len(found) == 0 {
		err = ErrOrderNotFound
	}
	if err != nil {
		return OwnedOrder{}, err
	}
	return found[0], nil
}

// noOrder is what a client is told when the store finds no order.
func noOrder(err error) error {
	if errs.KindOf(err) == errs.NotFound {
		return ErrOrderNotFound
	}
	return err
}

// RefundOrder gives back everything that was paid for an order, revokes its
// licence for good, records that, and ends its subscription. What the provider
// gave back stays given back, whatever happens here: it tells by its webhook too,
// and asking again refunds nothing more.
//
// The provider of a pending order is asked about it first: its webhook may be lost.
//
// It returns ErrOrderNotFound, ErrNotRefundable, ErrOtherProvider,
// ErrRefundRefused and ErrProviderUnreachable.
func (s *OrderService) RefundOrder(ctx context.Context, id string) (OwnedOrder, error) {
	o, err := s.Order(ctx, id)
	if err != nil {
		return OwnedOrder{}, err
	}
	if o, err = s.lookedUp(ctx, o); err != nil {
		return OwnedOrder{}, err
	}
	if o.Status() != OrderPaid && !o.refundDue() {
		return OwnedOrder{}, ErrNotRefundable
	}
	if err := s.ask(o.Order, func() error { return s.Payments.Refund(ctx, o.ID, o.Payment) }); err != nil {
		if errors.Is(err, payment.ErrRefused) {
			return OwnedOrder{}, ErrRefundRefused.Because(err)
		}
		return OwnedOrder{}, err
	}
	o, err = s.changeOrder(ctx, o, audit.OrderRefund, func(tx Sales, o *Order) error {
		// Its webhook may have been quicker.
		if o.PaidAt.IsZero() {
			return ErrNotRefundable
		}
		return s.refund(ctx, tx, o, s.Now())
	})
	if err == nil && o.endDue() {
		// After the refund, which may be refused: a buyer who is not given the money
		// back keeps what it buys. If it fails, EndedAt says so, and it is swept up.
		_ = s.endSubscription(ctx, &o.Order, new(Notice))
	}
	return o, err
}

// CancelOrder cancels an order that is pending: it can no longer be paid, and its
// licence is revoked. What is paid all the same, because the buyer was about to,
// is given back (TakeEvent).
//
// It returns ErrOrderNotFound, ErrNotCancellable, ErrOtherProvider, ErrBeingPaid
// and ErrProviderUnreachable.
func (s *OrderService) CancelOrder(ctx context.Context, id string) (OwnedOrder, error) {
	o, err := s.Order(ctx, id)
	if err != nil {
		return OwnedOrder{}, err
	}
	if o.Status() != OrderPending {
		return OwnedOrder{}, ErrNotCancellable
	}
	err = s.ask(o.Order, func() error { return s.Payments.Cancel(ctx, o.Payment) })
	if errors.Is(err, payment.ErrRefused) {
		err = s.completed(ctx, o, err)
	}
	if err != nil {
		return OwnedOrder{}, err
	}
	return s.changeOrder(ctx, o, audit.OrderCancel, func(tx Sales, o *Order) error {
		switch o.Status() {
		case OrderPending:
			return s.cancel(ctx, tx, o, s.Now())
		case OrderCancelled: // its webhook was quicker
			return nil
		case OrderPaid, OrderRefunded:
		}
		return ErrNotCancellable
	})
}

// completed returns nil if it is known what came of a page that was completed, so
// that cancelling its order was refused: that decides.
func (s *OrderService) completed(ctx context.Context, o OwnedOrder, refused error) error {
	now, err := s.lookedUp(ctx, o)
	if err == nil && now.Status() == OrderPending {
		err = ErrBeingPaid.Because(refused)
	}
	return err
}

// lookedUp returns an order as it is now, after the provider of a pending one was
// asked about it: its webhook may be lost. It returns ErrProviderUnreachable where
// that leaves open whether it is paid.
func (s *OrderService) lookedUp(ctx context.Context, o OwnedOrder) (OwnedOrder, error) {
	if o.Status() != OrderPending || o.Provider != s.Payments.Name() || o.Payment.Session == "" {
		return o, nil
	}
	_, lookErr := s.lookUp(ctx, o.Order)
	o, err := s.Order(ctx, o.ID)
	if err != nil {
		return OwnedOrder{}, err
	}
	// An error after the order was changed is of what follows, and is swept up.
	if lookErr != nil && o.Status() == OrderPending && !errors.Is(lookErr, payment.ErrRefused) {
		return OwnedOrder{}, lookErr
	}
	return o, nil
}

// ask asks the provider of an order for something. Where no money moved there is
// nobody to ask. Errors other than payment.ErrRefused become
// ErrProviderUnreachable.
func (s *OrderService) ask(o Order, what func() error) error {
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

// changeOrder applies fn to an order and records it, in one transaction that has
// locked the order.
func (s *OrderService) changeOrder(ctx context.Context, out OwnedOrder, action audit.Action, fn func(Sales, *Order) error) (OwnedOrder, error) {
	err := s.Store.InTx(ctx, func(tx Sales) error {
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
		return OwnedOrder{}, err
	}
	return out, nil
}
