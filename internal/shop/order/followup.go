package order

import (
	"context"
	"errors"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
)

// followUp does what is left to do at the provider once an order is over: it refunds a late payment, ends the
// subscription or gives it its plan back, and refunds what followed. Each is done once, however often it is called.
func (s *Service) followUp(ctx context.Context, o *Order, out *Outcome) error {
	if o.refundDue() {
		if err := s.refundLate(ctx, o, out); err != nil {
			return err
		}
	}
	if o.endDue() {
		if err := s.endAtOnce(ctx, o, out); err != nil {
			return err
		}
	}
	if o.Kind == "" && o.Status() == Refunded {
		return s.refundOwed(ctx, *o, out)
	}
	err := s.undoPlan(ctx, *o)
	if errors.Is(err, ErrEndRefused) {
		out.Warning = "the subscription of a license that it does not fit any more cannot be ended: " +
			"end it at the provider. " + err.Error()
		return nil
	}
	return err
}

// refundLate refunds the payment of an order that was cancelled before it was paid.
func (s *Service) refundLate(ctx context.Context, o *Order, out *Outcome) error {
	known, err := paidFor(ctx, s.Store, *o)
	if err != nil {
		return err
	}
	done := "the order was cancelled before it was paid"
	var notes []payment.CreditNote
	if len(known) > 0 { // a change may have cost nothing
		done += ": the payment is refunded"
		notes, err = s.Payments.Refund(ctx, payment.Refund{OrderID: o.ID, Reference: o.Payment})
	}
	if errors.Is(err, payment.ErrRefused) {
		out.Warning = "the order was cancelled before it was paid, and the payment cannot be refunded: " + err.Error()
		return nil // a retry would be refused too
	}
	if err != nil {
		return ErrProviderUnreachable.Because(err)
	}
	out.Done = done
	defer s.Courier.Wake()
	return s.update(ctx, o, func(tx Store, o *Order) error {
		paid, err := s.paymentsOf(ctx, tx, *o)
		if err != nil {
			return err
		}
		g := giving{by: ByStoa, at: s.Now(), whole: true, paid: paid, notes: notes}
		g.giveAll()
		return s.giveBack(ctx, tx, o, g)
	})
}

// endAtOnce ends the subscription of an order that is over. Buyers end theirs with EndSubscription.
func (s *Service) endAtOnce(ctx context.Context, o *Order, out *Outcome) error {
	err := s.Payments.End(ctx, o.Payment)
	if errors.Is(err, payment.ErrRefused) {
		out.Warning = "the order is over, but its subscription cannot be ended: end it at the provider. " + err.Error()
		return nil
	}
	if err != nil {
		return ErrProviderUnreachable.Because(err)
	}
	if out.Done != "" {
		out.Done += "; "
	}
	out.Done += "the subscription of an order that is over is ended"
	return s.update(ctx, o, func(tx Store, o *Order) error {
		o.EndedAt = s.Now().UTC()
		return tx.UpdateOrder(ctx, *o)
	})
}

// collect asks the provider to collect the payment for the next period now. If that fails, the provider
// collects it later by itself.
func (s *Service) collect(ctx context.Context, e payment.Event, out *Outcome) {
	out.Done = "the invoice of the next period is collected now"
	if err := s.Payments.Collect(ctx, e.Reference); err != nil {
		out.Done = "the invoice of the next period is left to the provider: " + err.Error()
	}
}

// refundPeriod refunds a period that was paid after the order was over.
func (s *Service) refundPeriod(ctx context.Context, o Order, e payment.Event, out *Outcome) error {
	notes, err := s.Payments.Refund(ctx, payment.Refund{
		OrderID: o.ID, Reference: payment.Reference{Invoice: e.Reference.Invoice},
	})
	switch {
	case errors.Is(err, payment.ErrRefused):
		out.Failure = "a further period of an order that is over was paid, and cannot be refunded: " + err.Error()
		return nil
	case err != nil:
		return ErrProviderUnreachable.Because(err)
	}
	out.Done = "a further period of an order that is over was paid: it is refunded"
	defer s.Courier.Wake()
	return s.update(ctx, &o, func(tx Store, o *Order) error {
		p := Payment{
			Invoice: e.Reference.Invoice, OrderID: o.ID, At: e.At, Currency: o.Amount.Currency, Minor: o.regular().Minor,
		}
		_, err := s.markBack(ctx, tx, o, p, -1, giving{by: ByStoa, at: s.Now(), notes: notes})
		return err
	})
}

// leeway returns the leeway for a paid period of an order: none unless a subscription renews it.
func (s *Service) leeway(o Order) time.Duration {
	if o.Payment.Subscription == "" || !o.EndedAt.IsZero() || o.Ends {
		return 0
	}
	return s.RenewalLeeway
}

// stopRenewal lets the license of an order expire at the end of its term, because its provider does not
// renew it.
func (s *Service) stopRenewal(ctx context.Context, o Order, e payment.Event, out *Outcome) error {
	var why license.Unrenewed
	if e.Kind == payment.NotRenewed {
		why = license.Unrenewed{Reference: s.renewalReference(e), Until: e.Until}
	}
	stopped, err := s.Licenses.StopRenewal(ctx, o.LicenseID, why)
	if stopped {
		out.Done = "the license is not renewed: it ends with its term"
	}
	return err
}

// renewalReference names the renewal that the invoice of an event pays for. It is stored: never change it.
func (s *Service) renewalReference(e payment.Event) string {
	return s.Payments.Name() + ":" + e.Reference.Invoice
}

// renew renews the license of an order for a paid invoice.
func (s *Service) renew(ctx context.Context, o Order, e payment.Event, out *Outcome) error {
	l, err := s.Licenses.Renew(ctx, o.LicenseID, license.Renewal{
		Periods: 1, Reference: s.renewalReference(e), Billed: true, Until: e.Until,
		BilledAt: e.BilledAt, Leeway: s.leeway(o),
	}, nil)
	if err == nil {
		out.Done = "the license ends " + l.License.ExpiresAt.Format(time.DateOnly)
		return nil
	}
	if kind := errs.KindOf(err); kind == errs.Conflict || kind == errs.Invalid {
		out.Warning = "a further period was paid for a license that cannot be renewed: end the subscription. " +
			err.Error()
		return nil
	}
	return err
}
