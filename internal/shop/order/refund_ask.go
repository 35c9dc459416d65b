package order

import (
	"cmp"
	"context"
	"errors"
	"time"

	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// errPaidMeanwhile undoes what is recorded of a refund while the provider is to be asked again.
var errPaidMeanwhile = errors.New("order: a period was paid while the refund was under way")

// finishRefund asks the provider for what is due, and records the outcome. Several callers may do so at once.
func (s *Service) finishRefund(ctx context.Context, o Listed, due RefundDue) error {
	// What is paid from now on, the provider may not give back with the rest (Order.tooLate).
	due.asked = s.Now()
	for range refundTries {
		err := s.tryRefund(ctx, o, due)
		if !errors.Is(err, errPaidMeanwhile) {
			return err
		}
	}
	return ErrRefundWaits
}

// tryRefund does what finishRefund does, unless it returns errPaidMeanwhile.
func (s *Service) tryRefund(ctx context.Context, o Listed, due RefundDue) error {
	back, known, err := s.refundOf(ctx, o.Order, due)
	if err != nil {
		return err
	}
	err = s.ask(o.Order, func() (err error) {
		due.notes, err = s.Payments.Refund(ctx, back)
		return err
	})
	switch {
	case errors.Is(err, payment.ErrRefused):
		return cmp.Or(s.Store.InTx(ctx, func(tx Store) error {
			now, err := tx.OrderByID(ctx, o.ID)
			if err != nil {
				return err
			}
			if there, err := tx.DropRefundDue(ctx, due, true); err != nil || !there || due.whole() {
				return err
			}
			return s.oweRest(ctx, tx, now)
		}), ErrRefundRefused.Because(err))
	case errors.Is(err, ErrProviderUnreachable):
		return ErrRefundWaits.Because(err)
	case err != nil:
		return err
	}
	if by, err := s.Store.TakenBack(ctx, o.ID); err != nil {
		return err
	} else if by {
		if due.mails, err = s.takeBackMails(ctx, o.Order); err != nil {
			return err
		}
	}
	after := o.Order
	err = s.update(ctx, &after, func(tx Store, now *Order) error {
		if there, err := tx.DropRefundDue(ctx, due, false); !there || err != nil {
			return err // whoever asked at the same time was quicker
		}
		if more, err := due.misses(ctx, tx, known); more || err != nil {
			return cmp.Or(err, errPaidMeanwhile)
		}
		return s.completeRefund(ctx, tx, o, now, due)
	})
	if err == nil && after.endDue() {
		// Only after the refund, which may be refused: without their money back, buyers keep what they
		// bought. If ending fails, the sweep tries again.
		_ = s.endAtOnce(ctx, &after, new(Outcome))
	}
	return err
}

// refundMemory is after how long a provider is asked whether it knows a part already, before it is asked for it.
const refundMemory = time.Hour

// misses reports whether an order has payments that were not known when the provider was asked for all of them: it may
// not have given them back. Asked again, it gives back what is left.
func (d RefundDue) misses(ctx context.Context, tx Store, known []Payment) (bool, error) {
	if !d.whole() {
		return false, nil
	}
	list, err := tx.PaymentsOf(ctx, d.OrderID)
	return len(list) > len(known), err
}

// refundOf returns what to ask the provider for, and the payments that are known by now.
func (s *Service) refundOf(ctx context.Context, o Order, due RefundDue) (payment.Refund, []Payment, error) {
	back := payment.Refund{OrderID: o.ID, Reference: o.Payment}
	paid, err := s.Store.PaymentsOf(ctx, o.ID)
	back.Invoiced = hasInvoice(paid)
	if err != nil || due.whole() {
		return back, paid, err
	}
	for _, p := range paid {
		if p.Seq == due.Seq {
			back.Reference = payment.Reference{Invoice: p.Invoice, Payment: p.ID}
			back.ID, back.Minor, back.Currency = due.ID, due.Minor, p.Currency
			back.Exponent, _ = product.Exponent(p.Currency)
			back.Again = s.Now().Sub(due.At) > refundMemory
		}
	}
	return back, paid, nil
}
