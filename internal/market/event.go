package market

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa/internal/errs"
	"stoa/internal/market/payment"
)

// Notice is what came of an event that a payment provider sent.
type Notice struct {
	Event payment.Event
	// OrderID is the order it was about. Empty if none of ours.
	OrderID string
	// Done says what was done, in a few words. Empty if nothing.
	Done string
	// Warning is what the operator should look at. Empty if nothing.
	Warning string
}

// TakeEvent takes what a payment provider sent to its webhook: the order it is
// about is paid, cancelled or refunded, its licence renewed or revoked. Events
// may come more than once and in any order; the outcome is the same. Those about
// other things are taken and have no effect.
//
// It returns ErrNoProvider if provider is not the one that takes the payments,
// ErrNotSigned for what it did not sign, and any other error where the delivery
// should be repeated.
func (s *Service) TakeEvent(ctx context.Context, provider string, payload []byte, signature string) (Notice, error) {
	if s.Payments.Name() != provider || s.Payments.Mode() != payment.Hosted {
		return Notice{}, ErrNoProvider
	}
	e, err := s.Payments.Event(ctx, payload, signature)
	switch {
	case errors.Is(err, payment.ErrForged):
		return Notice{}, ErrNotSigned.Because(err)
	case err != nil:
		return Notice{Event: e}, ErrProviderUnreachable.Because(err)
	}
	return s.take(ctx, e)
}

// take does what TakeEvent does with an event that is known to be the provider's.
func (s *Service) take(ctx context.Context, e payment.Event) (Notice, error) {
	n := Notice{Event: e, Warning: e.Note}
	if e.Kind == payment.Unrelated {
		return n, nil
	}
	o, err := s.takeEvent(ctx, e, &n)
	if err != nil || n.OrderID == "" {
		return n, err
	}
	if e.Kind == payment.Paid {
		s.Courier.Wake()
	}
	if e.Kind == payment.Renewed {
		return n, s.renewPaid(ctx, o, e, &n)
	}
	// Also when the event was taken before: what had to follow may have failed.
	if o.refundDue() {
		return n, s.giveBack(ctx, o, &n)
	}
	return n, nil
}

// takeEvent applies an event to its order, once, and returns the order. Without
// one it leaves the notice's OrderID empty.
func (s *Service) takeEvent(ctx context.Context, e payment.Event, n *Notice) (Order, error) {
	var o Order
	err := s.Sales.InTx(ctx, func(tx Sales) error {
		var err error
		if o, err = s.orderOf(ctx, tx, e); err != nil {
			return err
		}
		n.OrderID, n.Done, n.Warning = o.ID, "", e.Note
		if e.Kind == payment.Renewed {
			return nil // the licence remembers what it was renewed for
		}
		fresh, err := tx.AddPaymentEvent(ctx, s.Payments.Name(), e, o.ID, s.Now())
		if err != nil || !fresh {
			return err
		}
		return s.apply(ctx, tx, &o, e, n)
	})
	if errs.KindOf(err) == errs.NotFound {
		return Order{}, nil // another system's: a provider's account may have several
	}
	return o, err
}

// orderOf returns the order that an event is about, or an errs.NotFound error.
func (s *Service) orderOf(ctx context.Context, tx Sales, e payment.Event) (Order, error) {
	if e.OrderID == "" {
		return tx.OrderByPayment(ctx, s.Payments.Name(), e.Reference)
	}
	if !validID(e.OrderID) {
		return Order{}, errs.New(errs.NotFound, "NOT_FOUND", "Order not found.")
	}
	o, err := tx.OrderByID(ctx, e.OrderID)
	if err == nil && o.Provider != s.Payments.Name() {
		return Order{}, errs.New(errs.NotFound, "NOT_FOUND", "Order not found.")
	}
	return o, err
}

// apply does what an event asks for. tx holds the order's lock.
func (s *Service) apply(ctx context.Context, tx Sales, o *Order, e payment.Event, n *Notice) error {
	if o.Payment.Session != "" && e.Reference.Session != "" && o.Payment.Session != e.Reference.Session {
		n.Warning = "the event is about another payment page than the order's, and was not applied"
		return nil
	}
	status := o.Status()
	if e.At.Before(o.CreatedAt) {
		e.At = o.CreatedAt // providers count in whole seconds
	}
	switch e.Kind {
	case payment.Paid:
		if !covers(e, o.Amount) {
			n.Warning = fmt.Sprintf("%d %s was paid, which is not the price of the order: it was not applied", e.Minor, e.Currency)
			return nil
		}
		o.learn(e.Reference)
		if err := s.settle(ctx, tx, o, e.At); err != nil {
			return err
		}
	case payment.Failed:
		if status != OrderPending {
			return nil
		}
		if err := s.cancel(ctx, tx, o, e.At); err != nil {
			return err
		}
	case payment.Refunded:
		o.learn(e.Reference)
		if err := s.refund(ctx, tx, o, e.At); err != nil {
			return err
		}
	case payment.Unrelated, payment.Renewed:
	}
	if now := o.Status(); now != status {
		n.Done = "the order is " + string(now)
	}
	return nil
}

// covers reports whether a payment is at least a price, in its currency. The
// provider may count in another unit.
func covers(e payment.Event, price Money) bool {
	exp, _ := Exponent(price.Currency)
	paid, due := e.Minor, price.Minor
	for ; exp < e.Exponent; exp++ {
		due *= 10
	}
	for ; exp > e.Exponent; exp-- {
		paid *= 10
	}
	return e.Currency == price.Currency && paid >= due
}

// learn fills in what the provider calls the parts of the payment.
func (o *Order) learn(r payment.Reference) {
	for _, part := range []struct{ known, told *string }{
		{&o.Payment.Session, &r.Session},
		{&o.Payment.Payment, &r.Payment},
		{&o.Payment.Invoice, &r.Invoice},
		{&o.Payment.Subscription, &r.Subscription},
	} {
		if *part.known == "" {
			*part.known = *part.told
		}
	}
}

// refundDue reports whether a payment came too late and was not given back yet.
func (o *Order) refundDue() bool {
	return !o.CancelledAt.IsZero() && !o.PaidAt.IsZero() && o.RefundedAt.IsZero()
}

// giveBack refunds the payment of an order that had been cancelled before.
func (s *Service) giveBack(ctx context.Context, o Order, n *Notice) error {
	err := s.Payments.Refund(ctx, o.ID, o.Payment)
	if errors.Is(err, payment.ErrRefused) {
		n.Warning = "the order was cancelled before it was paid, and the payment cannot be refunded: " + err.Error()
		return nil // asking again would bring the same
	}
	if err != nil {
		return ErrProviderUnreachable.Because(err)
	}
	n.Done = "the order was cancelled before it was paid: the payment is refunded"
	return s.Sales.InTx(ctx, func(tx Sales) error {
		o, err := tx.OrderByID(ctx, o.ID)
		if err != nil {
			return err
		}
		return s.refund(ctx, tx, &o, s.Now())
	})
}

// renewPaid renews the licence of an order for the invoice that was paid.
func (s *Service) renewPaid(ctx context.Context, o Order, e payment.Event, n *Notice) error {
	l, err := s.RenewLicense(ctx, o.LicenseID, Renewal{Periods: 1, Reference: s.Payments.Name() + ":" + e.Reference.Invoice, Billed: true})
	if err == nil {
		n.Done = "the licence ends " + l.ExpiresAt.Format(time.DateOnly)
		return nil
	}
	if kind := errs.KindOf(err); kind == errs.Conflict || kind == errs.Invalid {
		n.Warning = "a further period was paid for a licence that cannot be renewed: end the subscription. " + err.Error()
		return nil
	}
	return err
}
