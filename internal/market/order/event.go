package order

import (
	"context"
	"errors"
	"fmt"

	"stoa/internal/cuid2"
	"stoa/internal/errs"
	"stoa/internal/market/payment"
	"stoa/internal/market/product"
)

// Notice is what came of an event that a payment provider sent.
type Notice struct {
	Event payment.Event
	// OrderID is the order it was about. Empty if none of ours.
	OrderID string
	// Done says what was done, in a few words. Empty if nothing.
	Done string
	// Status is the new status of the order. Empty if it did not change.
	Status Status
	// Warning is what the operator should look at. Empty if nothing.
	Warning string
	// Failure is what the operator has to put right. Empty if nothing.
	Failure string

	partial bool // a further part of the order's payment was given back
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
	if n.partial {
		// The event is taken: an error here would not bring it again.
		if err := s.tellPartial(ctx, o); err != nil {
			n.Warning += "; administrators were not told by mail: " + err.Error()
		}
	}
	switch {
	case (e.Kind == payment.Renewed || e.Kind == payment.Billed) && o.Payment.Subscription != e.Reference.Subscription:
		n.Warning = "the invoice is of another subscription than the order's, and was not applied"
		return n, nil
	case e.Kind == payment.Renewed && o.tooLate(e.At):
		if err := s.returnPeriod(ctx, o, e, &n); err != nil {
			return n, err
		}
	case e.Kind == payment.Renewed:
		return n, s.renewPaid(ctx, o, e, &n)
	case e.Kind == payment.Billed && o.Status() == Paid:
		s.collect(ctx, e, &n)
	}
	// Also when the event was taken before: what had to follow may have failed.
	return n, s.followUp(ctx, &o, &n)
}

// takeEvent applies an event to its order, once, and returns the order. Without
// one it leaves the notice's OrderID empty.
func (s *Service) takeEvent(ctx context.Context, e payment.Event, n *Notice) (Order, error) {
	var o Order
	err := s.Store.InTx(ctx, func(tx Store) error {
		var err error
		if o, err = s.orderOf(ctx, tx, e); err != nil {
			return err
		}
		n.OrderID, n.Done, n.Warning = o.ID, "", e.Note
		switch e.Kind {
		case payment.Renewed, payment.Billed: // the licence remembers what it was renewed for
			if o.Payment.Subscription != "" || e.Reference.Subscription == "" {
				return nil
			}
			o.Payment.Subscription = e.Reference.Subscription
			return tx.UpdateOrder(ctx, o)
		case payment.Bounced: // with each delivery: the one before may have been answered with an outage, and not told
			n.Failure, n.Warning = o.bounced()+e.Note, ""
			return nil
		case payment.Unrelated, payment.Paid, payment.Failed, payment.Refunded, payment.PartlyRefunded:
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

// orderOf returns the order that an event is about, or an error of the kind
// errs.UnknownKey.
func (s *Service) orderOf(ctx context.Context, tx Store, e payment.Event) (Order, error) {
	if e.OrderID == "" {
		return tx.OrderByPayment(ctx, s.Payments.Name(), e.Reference)
	}
	if !cuid2.Plausible(e.OrderID) {
		return Order{}, ErrNotFound
	}
	o, err := tx.OrderByID(ctx, e.OrderID)
	if err == nil && o.Provider != s.Payments.Name() {
		return Order{}, ErrNotFound
	}
	return o, err
}

// apply does what an event asks for. tx holds the order's lock.
func (s *Service) apply(ctx context.Context, tx Store, o *Order, e payment.Event, n *Notice) error {
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
		if status == Refunded && !o.isOwn(e.Reference) {
			n.Warning = "the order was refunded for another payment before this one came, which was not given back: refund it by hand"
		}
	case payment.Failed:
		return s.fail(ctx, tx, o, e, n)
	case payment.Refunded:
		if !o.isOwn(e.Reference) {
			n.Warning = "the refund is of another payment than the order's, and was not applied"
			return nil
		}
		o.learn(e.Reference)
		if err := s.markRefunded(ctx, tx, o, e.At); err != nil {
			return err
		}
	case payment.PartlyRefunded:
		return s.notePartial(ctx, tx, o, e, n)
	case payment.Unrelated, payment.Renewed, payment.Billed, payment.Bounced:
	}
	if now := o.Status(); now != status {
		n.Done, n.Status = "the order is "+string(now), now
	}
	return nil
}

// fail notes that a pending order will not be paid. What the provider began for
// it is remembered, because it has to be ended. tx holds the order's lock.
func (s *Service) fail(ctx context.Context, tx Store, o *Order, e payment.Event, n *Notice) error {
	switch o.Status() {
	case Pending:
		o.learn(e.Reference)
		n.Done, n.Status = "the order is cancelled", Cancelled
		return s.markCancelled(ctx, tx, o, e.At)
	case Cancelled:
		o.learn(e.Reference)
		return tx.UpdateOrder(ctx, *o)
	case Paid, Refunded:
	}
	return nil
}

// bounced says that a refund did not arrive: one that was noted, or one that the
// provider refused, of which the order knows nothing.
func (o *Order) bounced() string {
	text := "the money of an order was not given back after all: see to it at the provider. "
	if o.Status() == Paid {
		return text + "The order stays paid. "
	}
	return text + "The licence stays revoked. "
}

// isOwn reports whether a payment is that of the order, as far as that is known.
// The payments of a subscription are those of its invoices.
func (o *Order) isOwn(r payment.Reference) bool {
	known := o.Payment
	switch {
	case r.Invoice != "" && known.Invoice != "":
		return r.Invoice == known.Invoice
	case r.Payment != "" && known.Payment != "":
		return r.Payment == known.Payment
	}
	return known.Subscription == r.Subscription || known.Subscription == "" || r.Payment == ""
}

// covers reports whether a payment is at least a price, in its currency. The
// provider may count in another unit.
func covers(e payment.Event, price product.Money) bool {
	exp, _ := product.Exponent(price.Currency)
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
