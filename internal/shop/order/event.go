package order

import (
	"context"
	"errors"
	"fmt"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// Outcome reports to the operator what an event of a payment provider did. Texts that do not apply are
// empty.
type Outcome struct {
	Event   payment.Event
	OrderID string // the order the event is about. Empty if it is not one of ours
	Done    string // what was done, in a few words
	Status  Status // the order's new status. Empty if it did not change
	Warning string // what the operator should look at
	Failure string // what the operator must put right

	partial bool // a further part of the order's payment was refunded
}

// HandleWebhook handles what a payment provider sent to its webhook: it marks the order as paid,
// cancelled or refunded, and renews or revokes its license. Events may be delivered more than once and
// in any order; the outcome is the same. Unrelated events have no effect.
//
// It returns ErrNoProvider if provider is not the configured one, ErrNotSigned if the provider did not
// sign the payload, and any other error if the provider should repeat the delivery.
func (s *Service) HandleWebhook(
	ctx context.Context, provider string, payload []byte, signature string,
) (Outcome, error) {
	if s.Payments.Name() != provider || s.Payments.Mode() != payment.Hosted {
		return Outcome{}, ErrNoProvider
	}
	e, err := s.Payments.Event(ctx, payload, signature)
	switch {
	case errors.Is(err, payment.ErrForged):
		return Outcome{}, ErrNotSigned.Because(err)
	case err != nil:
		return Outcome{Event: e}, ErrProviderUnreachable.Because(err)
	}
	return s.handle(ctx, e)
}

// handle does what HandleWebhook does, with an event that is known to be the provider's.
func (s *Service) handle(ctx context.Context, e payment.Event) (Outcome, error) {
	out := Outcome{Event: e, Warning: e.Note}
	if e.Kind == payment.Unrelated {
		return out, nil
	}
	if ofRefund(e.Kind) {
		if err := s.finishDue(ctx, e); err != nil {
			return out, err
		}
	}
	if e.Kind == payment.Adjusted || e.Kind == payment.AdjustmentFailed {
		err := s.adjust(ctx, e, &out)
		return out, err
	}
	o, err := s.applyOnce(ctx, e, &out)
	if err != nil || out.OrderID == "" {
		return out, err
	}
	if e.Kind == payment.Paid || ofRefund(e.Kind) {
		s.Courier.Wake()
	}
	if out.partial {
		// The event is taken: an error here would not bring it again.
		if err := s.mailPartial(ctx, o); err != nil {
			out.Warning += "; administrators got no mail: " + err.Error()
		}
	}
	switch {
	case ofSubscription(e.Kind) && o.Payment.Subscription != e.Reference.Subscription:
		out.Warning = "the event is of another subscription than the order's, and was not applied"
		return out, nil
	case e.Kind == payment.WillNotRenew && !o.Ends, e.Kind == payment.WillRenew && o.Ends:
		return out, nil // the provider has said the contrary since
	case e.Kind == payment.WillRenew:
		err = s.doNext(ctx, o)
		return out, err
	case e.Kind == payment.NotRenewed, e.Kind == payment.WillNotRenew, e.Kind == payment.Ended:
		err = s.stopRenewal(ctx, o, e, &out)
		return out, err
	case e.Kind == payment.Renewed && o.tooLate(e.At):
		if err := s.refundPeriod(ctx, o, e, &out); err != nil {
			return out, err
		}
	case e.Kind == payment.Renewed:
		err = s.renew(ctx, o, e, &out)
		return out, err
	case e.Kind == payment.Billed && o.Status() == Paid:
		s.collect(ctx, e, &out)
	}
	// Even if the event was applied before: the steps that follow may have failed then.
	err = s.followUp(ctx, &o, &out)
	return out, err
}

// ofSubscription reports whether events of a kind are about the subscription of an order. They may come
// again and in any order: the license says whether they have an effect.
func ofSubscription(kind payment.EventKind) bool {
	switch kind {
	case payment.Renewed, payment.Billed, payment.NotRenewed, payment.WillNotRenew, payment.WillRenew, payment.Ended,
		payment.Adjusted, payment.AdjustmentFailed:
		return true
	case payment.Unrelated, payment.Paid, payment.Failed, payment.Refunded, payment.Bounced, payment.PartlyRefunded,
		payment.PeriodRefunded:
	}
	return false
}

// applyOnce applies an event to its order, unless it did so before, and returns the order. If there is
// no such order, it leaves out.OrderID empty.
func (s *Service) applyOnce(ctx context.Context, e payment.Event, out *Outcome) (Order, error) {
	var o Order
	err := s.Store.InTx(ctx, func(tx Store) error {
		var err error
		if o, err = s.orderOf(ctx, tx, e); err != nil {
			return err
		}
		out.OrderID, out.Done, out.Status, out.Warning = o.ID, "", "", e.Note
		if ofSubscription(e.Kind) {
			return s.learnSubscription(ctx, tx, &o, e, out)
		}
		if e.Kind == payment.Bounced { // reported on every delivery: the previous answer may have failed unlogged
			out.Failure, out.Warning = bouncedFailure(o.Status())+e.Note, ""
			return nil
		}
		fresh, err := tx.AddPaymentEvent(ctx, s.Payments.Name(), e, o.ID, s.Now())
		if err != nil || !fresh {
			return err
		}
		return s.apply(ctx, tx, &o, e, out)
	})
	if errs.KindOf(err) == errs.NotFound {
		return Order{}, nil // of another system that shares the provider's account
	}
	return o, err
}

// learnSubscription keeps what an event says about the subscription of its order, and whether the license
// is renewed. tx has locked the order.
func (s *Service) learnSubscription(ctx context.Context, tx Store, o *Order, e payment.Event, out *Outcome) error {
	before := *o
	if o.Payment.Subscription == "" {
		o.Payment.Subscription = e.Reference.Subscription
	}
	if o.Payment.Subscription == e.Reference.Subscription {
		if e.Kind == payment.Ended && o.EndedAt.IsZero() {
			o.EndedAt = e.At
		}
		o.learnRenewal(e)
	}
	if e.Kind == payment.Renewed && o.Payment.Subscription == e.Reference.Subscription {
		if err := s.recordPeriod(ctx, tx, *o, e); err != nil {
			return err
		}
	}
	if *o == before {
		return nil
	}
	if err := tx.UpdateOrder(ctx, *o); err != nil || o.Ends == before.Ends {
		return err
	}
	out.Done = "the license is not renewed: it ends with its term"
	if !o.Ends {
		out.Done = "the license is renewed again: its subscription goes on"
	}
	return s.markEnds(ctx, tx, *o)
}

// orderOf returns the order that an event is about, or an errs.NotFound error.
func (s *Service) orderOf(ctx context.Context, tx Store, e payment.Event) (Order, error) {
	// The invoice of a change names the subscription of another order.
	if o, ok, err := tx.ChangeByInvoice(ctx, s.Payments.Name(), e.Reference.Invoice); err != nil {
		return Order{}, err
	} else if ok {
		return tx.OrderByID(ctx, o.ID)
	}
	if e.OrderID == "" {
		return tx.OrderByPayment(ctx, s.Payments.Name(), e.Reference)
	}
	if !ids.Plausible(e.OrderID) {
		return Order{}, ErrNotFound
	}
	o, err := tx.OrderByID(ctx, e.OrderID)
	if err == nil && o.Provider != s.Payments.Name() {
		return Order{}, ErrNotFound
	}
	return o, err
}

// apply applies an event to its order. tx has locked the order.
func (s *Service) apply(ctx context.Context, tx Store, o *Order, e payment.Event, out *Outcome) error {
	if o.Payment.Session != "" && e.Reference.Session != "" && o.Payment.Session != e.Reference.Session {
		out.Warning = "the event is about another payment page than the order's, and was not applied"
		return nil
	}
	status := o.Status()
	if e.At.Before(o.CreatedAt) {
		e.At = o.CreatedAt // providers round to whole seconds
	}
	switch e.Kind {
	case payment.Paid:
		if !covers(e, o.Amount) {
			out.Warning = fmt.Sprintf("%d %s was paid, which is not the price of the order: it was not applied",
				e.Minor, e.Currency)
			return nil
		}
		o.learn(e.Reference)
		paid, _ := inUnitsOf(o.Amount.Currency, e)
		if err := s.settle(ctx, tx, o, paid, e.At); err != nil {
			return err
		}
		if err := s.recordBill(ctx, tx, *o, e); err != nil {
			return err
		}
		if status == Refunded && !o.ownsPayment(e.Reference) {
			out.Warning = "the order was refunded for another payment before this one arrived, " +
				"which was not refunded: refund it by hand"
		}
	case payment.Failed:
		return s.fail(ctx, tx, o, e, out)
	case payment.Refunded:
		if !o.ownsPayment(e.Reference) {
			out.Warning = "the refund is of another payment than the order's, and was not applied"
			return nil
		}
		o.learn(e.Reference)
		if err := s.noteRefund(ctx, tx, o, e); err != nil {
			return err
		}
	case payment.PartlyRefunded:
		return s.notePartial(ctx, tx, o, e, out)
	case payment.PeriodRefunded:
		if o.Kind == Change {
			return s.noteChange(ctx, tx, o, e, out)
		}
		return s.notePeriod(ctx, tx, o, e, out)
	case payment.Unrelated, payment.Renewed, payment.Billed, payment.Bounced, payment.NotRenewed,
		payment.WillNotRenew, payment.WillRenew, payment.Ended, payment.Adjusted, payment.AdjustmentFailed:
	}
	if now := o.Status(); now != status {
		out.Done, out.Status = "the order is "+string(now), now
	}
	return nil
}

// fail records that a pending order will not be paid. It keeps the provider's references, because a
// subscription that began must be ended. tx has locked the order.
func (s *Service) fail(ctx context.Context, tx Store, o *Order, e payment.Event, out *Outcome) error {
	switch o.Status() {
	case Pending:
		o.learn(e.Reference)
		out.Done, out.Status = "the order is cancelled", Cancelled
		return s.markCancelled(ctx, tx, o, e.At)
	case Cancelled:
		o.learn(e.Reference)
		return tx.UpdateOrder(ctx, *o)
	case Paid, Refunded:
	}
	return nil
}

// bouncedFailure says that a refund did not arrive. If the provider refused the refund at once, it was
// never recorded, and the order is still paid.
func bouncedFailure(status Status) string {
	text := "the refund of an order did not arrive: see to it at the provider. "
	if status == Paid {
		return text + "The order stays paid. "
	}
	return text + "The license stays revoked. "
}

// covers reports whether a payment is at least the price, in its currency, without the tax that came on top. The
// provider may count in a different unit.
func covers(e payment.Event, price product.Money) bool {
	exp, _ := product.Exponent(price.Currency)
	paid, due := e.Minor-e.Bill.Added, price.Minor
	for ; exp < e.Exponent; exp++ {
		due *= 10
	}
	for ; exp > e.Exponent; exp-- {
		paid *= 10
	}
	return e.Currency == price.Currency && paid >= due
}
