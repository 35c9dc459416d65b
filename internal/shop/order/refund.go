package order

import (
	"context"
	"encoding/json"
	"errors"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/message/mail"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// RefundRequest says what to give back of an order. Its zero value is all that is left.
type RefundRequest struct {
	// Amount is a part, a JSON number in the order's currency. Null is none: who means all leaves it out.
	Amount json.RawMessage `json:"amount"`
	Reason string          `json:"reason"`

	// ID is the id for the refund, chosen by a caller who may have to repeat the request. If it is empty,
	// Refund chooses one.
	ID string `json:"-"`
}

// Issues returns what is wrong with the request, whatever the order.
func (r RefundRequest) Issues() errs.Issues {
	var is errs.Issues
	if first := append(r.Amount, ' ')[0]; !r.whole() && (first < '0' || first > '9') && first != '-' {
		is.Add("amount", errs.CodeWrongType, "amount must be a number.")
	}
	if !text.Printable(r.Reason, text.Short) {
		is.Add("reason", errs.CodeOutOfRange, "reason must be at most %d printable characters.", text.Short)
	}
	return is
}

func (r RefundRequest) whole() bool { return len(r.Amount) == 0 }

// part returns the amount of a part in the units of the order, of which that much is left; 0 without one. The
// error is a VALIDATION_ERROR.
func (r RefundRequest) part(o Order, left int64) (int64, error) {
	if r.whole() {
		return 0, nil
	}
	var is errs.Issues
	m, err := product.ParseMoney(string(r.Amount), o.Amount.Currency)
	exp, _ := product.Exponent(o.Amount.Currency)
	switch {
	case err != nil:
		is.Add("amount", errs.CodeOutOfRange, "amount: %s.", err)
	case m.Minor <= 0:
		is.Add("amount", errs.CodeOutOfRange, "amount must be above 0.")
	case m.Minor > left:
		m.Minor = left
		is.Add("amount", errs.CodeOutOfRange, "amount must be at most what is left of the latest payment: %s.", m)
	case o.Provider != (payment.Test{}).Name() && m.Minor%payment.Step(o.Amount.Currency, exp) != 0:
		is.Add("amount", errs.CodeOutOfRange, "amount must be one that can be charged in this currency.")
	}
	return m.Minor, is.Err()
}

// Refund gives back what was paid for an order. Without an amount it is everything: then the license is revoked for
// good, and the subscription ends. A part comes from the latest payment, and the license goes on, unless nothing is
// left after it. Orders that followed for its license are refunded first, before all of what issued or bought it is.
// The refund of a change brings the tier before back, that of a renewal takes its period off the term. For an order
// that was refunded, a request without an amount changes nothing and returns it.
//
// What the provider is asked for is recorded before (RefundDue), so that it is never asked for twice: if this call
// fails in between, Sweep or the next request goes on with it. Two requests for a part are two parts, unless they have
// the same ID.
//
// For a pending order it asks the provider first, because the webhook that reports the payment may be
// lost.
//
// It returns VALIDATION_ERROR for what RefundRequest.Issues finds and for an amount that cannot be given back,
// ErrNotFound, ErrNotRefundable, ErrOtherProvider, ErrRefundRefused and ErrRefundWaits.
func (s *Service) Refund(ctx context.Context, id string, req RefundRequest) (Listed, error) {
	if err := req.Issues().Err(); err != nil {
		return Listed{}, err
	}
	o, err := s.Get(ctx, id)
	if err != nil {
		return Listed{}, err
	}
	out, err := s.refund(ctx, o, req, nil)
	if err == nil {
		_ = s.undoPlan(ctx, out.Order) // or the sweep does
	}
	return out, err
}

// mayRefund returns nil if an order with these payments may be refunded. tx has locked the order, and what it
// records stays if the refund is begun.
type mayRefund func(ctx context.Context, tx Store, o Order, paid []Payment) error

// refundTries is how often a request waits for others before its own turn.
const refundTries = 10

// refund does what Refund does. may is nil for administrators.
func (s *Service) refund(ctx context.Context, o Listed, req RefundRequest, may mayRefund) (Listed, error) {
	o, err := s.refresh(ctx, o)
	if err != nil {
		return Listed{}, err
	}
	for range refundTries {
		due, step, err := s.beginRefund(ctx, o, req, may)
		switch {
		case err != nil || step == refundOver:
		case step == refundFollowing:
			err = s.refundFollowers(ctx, o.Order, may != nil)
		default:
			err = s.finishRefund(ctx, o, due)
		}
		switch {
		case step == refundOther && errors.Is(err, ErrRefundRefused):
			continue // that of another request: this one has its turn now
		case step == refundOther && errors.Is(err, ErrRefundWaits): // and so does this one, of which nothing was recorded
			return Listed{}, ErrProviderUnreachable.Because(err)
		case errs.KindOf(err) == errs.NotFound:
			return Listed{}, ErrNotFound
		case err != nil:
			return Listed{}, err
		case step == refundOther, step == refundFollowing:
			continue
		}
		s.Courier.Wake()
		if s.Outbox != nil {
			s.Outbox.Wake()
		}
		return s.Get(ctx, o.ID)
	}
	return Listed{}, ErrRefundWaits
}

// refundStep is what is left to do for a request.
type refundStep int

const (
	refundOver      refundStep = iota // nothing
	refundOwn                         // ask the provider
	refundOther                       // ask it for the refund of another request, and begin again
	refundFollowing                   // refund or cancel the orders that followed, and begin again
)

// errFollowed undoes what a request recorded that is to begin again.
var errFollowed = errors.New("order: another order followed")

// beginRefund records what the provider is to be asked for, or does without it if no money moved.
func (s *Service) beginRefund(
	ctx context.Context, listed Listed, req RefundRequest, may mayRefund,
) (due RefundDue, step refundStep, err error) {
	var mails []mail.Sealed
	if may != nil {
		if mails, err = s.takeBackMails(ctx, listed.Order); err != nil {
			return due, step, err
		}
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		due, step = RefundDue{}, refundOver
		o, err := tx.OrderByID(ctx, listed.ID)
		if err != nil {
			return err
		}
		if req.ID != "" {
			if done, err := tx.HasRefund(ctx, o.ID, req.ID); done || err != nil {
				return err
			}
		}
		if !o.RefundedAt.IsZero() && req.whole() {
			return nil
		}
		waiting, ok, err := tx.RefundDueOf(ctx, o.ID)
		if err != nil {
			return err
		}
		if ok {
			due, step = waiting, refundOther
			if due.ID == req.ID || due.whole() && req.whole() {
				step = refundOwn
			}
			return nil
		}
		if o.PaidAt.IsZero() || !o.CancelledAt.IsZero() && !o.refundDue() {
			return ErrNotRefundable
		}
		paid, err := s.paymentsOf(ctx, tx, o)
		if err != nil {
			return err
		}
		if due, err = s.planRefund(ctx, tx, o, paid, req, may); err != nil {
			return err
		}
		if following, err := s.isFollowed(ctx, tx, o); err != nil {
			return err
		} else if following && due.isLast(paid) {
			return errFollowed
		}
		switch {
		case o.Provider == "" || len(paid) == 0 || o.Provider == (payment.Test{}).Name():
			due.mails = mails
			return s.completeRefund(ctx, tx, listed, &o, due)
		case o.Provider != s.Payments.Name():
			return ErrOtherProvider
		}
		step = refundOwn
		return tx.AddRefundDue(ctx, due)
	})
	if errors.Is(err, errFollowed) {
		return due, refundFollowing, nil
	}
	return due, step, err
}

// planRefund returns what to ask the provider for. tx has locked the order.
func (s *Service) planRefund(
	ctx context.Context, tx Store, o Order, paid []Payment, req RefundRequest, may mayRefund,
) (due RefundDue, err error) {
	if may != nil {
		if err := may(ctx, tx, o, paid); err != nil {
			return RefundDue{}, err
		}
	}
	due = s.newRefundDue(ctx, o.ID, req)
	from := latest(paid)
	if due.Minor, err = req.part(o, from.Left()); due.Minor > 0 {
		due.Seq = from.Seq
	}
	return due, err
}

// isLast reports whether nothing is left of payments once what is due is given back.
func (d RefundDue) isLast(paid []Payment) bool {
	left := int64(0)
	for _, p := range paid {
		left += p.Left()
	}
	return d.whole() || left <= d.Minor
}
