package order

import (
	"context"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
)

// RefundReason is why a buyer cannot take an order back: details.reason of REFUND_REFUSED. Of several the first
// counts, in this order.
type RefundReason string

// The reasons.
const (
	NotOffered   RefundReason = "not_offered"
	TooLate      RefundReason = "too_late"
	NotFirst     RefundReason = "not_first"    // a further period was paid, or the order is no first one, or one followed
	AlreadyTaken RefundReason = "already_used" // another order of the product
)

var refundMessages = map[RefundReason]string{
	NotOffered:   "This product cannot be given back here. Ask the shop.",
	TooLate:      "The time in which this order could be given back is over. Ask the shop.",
	NotFirst:     "Only the first payment of a subscription can be given back here. Ask the shop.",
	AlreadyTaken: "An order of this product can be given back once, and you have done so. Ask the shop.",
}

// ErrTakeBackRefused is the error of every order that its buyer cannot take back.
var ErrTakeBackRefused = errs.New(errs.Conflict, "REFUND_REFUSED", "This order cannot be given back.")

func refuseTakeBack(why RefundReason) error {
	refused := ErrTakeBackRefused.With("reason", why)
	refused.Message = refundMessages[why]
	return refused
}

// until returns until when the order's buyer may take it back; zero if never.
func (o *Listed) until() time.Time {
	if o.PaidAt.IsZero() || o.RefundDays == 0 || o.Amount.Minor == 0 {
		return time.Time{}
	}
	return o.PaidAt.Add(time.Duration(o.RefundDays) * 24 * time.Hour)
}

// TakeBack refunds an order of the user in ctx as Refund does, if the product offers that. For an order that was
// refunded it changes nothing and returns it. refundID is RefundRequest.ID.
//
// It returns ErrNotFound for an order of anybody else, ErrTakeBackRefused, and what Refund returns.
func (s *Service) TakeBack(ctx context.Context, id, refundID string) (Listed, error) {
	o, err := s.own(ctx, id)
	if err != nil || !o.RefundedAt.IsZero() {
		return o, err
	}
	request := RefundRequest{ID: refundID}
	return s.refund(ctx, o, request, func(ctx context.Context, tx Store, now Order, paid []Payment) error {
		listed := o
		listed.Order = now
		switch until := listed.until(); {
		case until.IsZero():
			return refuseTakeBack(NotOffered)
		case !s.Now().Before(until):
			return refuseTakeBack(TooLate)
		case len(paid) > 1 || o.Kind != "":
			return refuseTakeBack(NotFirst)
		}
		if after, err := paidAfter(ctx, tx, now); err != nil {
			return err
		} else if after {
			return refuseTakeBack(NotFirst)
		}
		ok, err := tx.TakeRefundRight(ctx, o.ProductID, o.UserID, o.ID, s.Now())
		if err == nil && !ok {
			err = refuseTakeBack(AlreadyTaken)
		}
		return err
	})
}

// takeBackMails returns what administrators are mailed in the transaction that refunds an order taken back.
func (s *Service) takeBackMails(ctx context.Context, o Order) (list []mail.Sealed, err error) {
	if s.Outbox == nil || s.Administrators == nil || s.Demo {
		return nil, nil
	}
	admins, err := s.Administrators.Admins(ctx)
	if err != nil {
		return nil, err
	}
	for _, to := range admins {
		m, err := s.Outbox.Seal(administratorMail(template.GivenBack, to, o))
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// paidAfter reports whether the plan of an order's license was changed, or its term renewed, with another order that is
// paid: Listed.Followed, which may be out of date. The license stays locked. tx has locked the order.
func paidAfter(ctx context.Context, tx Store, o Order) (bool, error) {
	if _, err := tx.LicenseByID(ctx, o.LicenseID); err != nil {
		return false, err
	}
	list, err := tx.Siblings(ctx, o.LicenseID)
	return slices.ContainsFunc(list, func(f Order) bool { return f.Kind != "" && f.Status() == Paid }), err
}

// addRefundable adds to the caller's orders until when they may be taken back.
func (s *Service) addRefundable(ctx context.Context, list []Listed) error {
	user := reqctx.CallerFrom(ctx).UserID
	taken := make(map[string]bool)
	for i := range list {
		o := &list[i]
		until := o.until()
		if o.Status() != Paid || o.Periods > 1 || o.Kind != "" || o.Followed || !s.Now().Before(until) {
			continue
		}
		used, known := taken[o.ProductID]
		if !known {
			var err error
			if used, err = s.Store.RefundRightTaken(ctx, o.ProductID, user); err != nil {
				return err
			}
			taken[o.ProductID] = used
		}
		if !used {
			o.RefundableUntil = until
		}
	}
	return nil
}
