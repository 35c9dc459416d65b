package order

import (
	"context"
	"encoding/json"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// update reads an order again and applies fn to it, in one transaction that has locked the order. Then
// *o is the order as fn left it. On error *o is unchanged.
func (s *Service) update(ctx context.Context, o *Order, fn func(tx Store, o *Order) error) error {
	var updated Order
	err := s.Store.InTx(ctx, func(tx Store) (err error) {
		if updated, err = tx.OrderByID(ctx, o.ID); err != nil {
			return err
		}
		return fn(tx, &updated)
	})
	if err == nil {
		*o = updated
	}
	return err
}

// change is update for administrators: the change is recorded in the audit log.
func (s *Service) change(
	ctx context.Context, o Listed, action audit.Action, fn func(tx Store, o *Order) error,
) (Listed, error) {
	err := s.update(ctx, &o.Order, func(tx Store, changed *Order) error {
		if err := fn(tx, changed); err != nil || s.Demo {
			return err // nobody did what a demo makes up
		}
		target := audit.Target{Type: "order", ID: o.ID}
		return tx.Record(ctx, audit.New(ctx, s.Now(), action, target, audit.Details{
			"product": o.ProductSlug, "amount": o.Amount.Amount(), "currency": o.Amount.Currency,
			"licenseId": o.LicenseID,
		}))
	})
	if errs.KindOf(err) == errs.NotFound {
		err = ErrNotFound
	}
	if err != nil {
		return Listed{}, err
	}
	return o, nil
}

// settle records that an order was paid, how much and at what time, and makes its license usable unless the order is
// over. One whose license was revoked meanwhile is cancelled. It may be called again, and out of order: the earliest
// time counts. tx has locked the order.
func (s *Service) settle(ctx context.Context, tx Store, o *Order, paid int64, at time.Time) error {
	before := o.PaidAt
	if before.IsZero() || at.Before(before) {
		o.PaidAt = at
	}
	if err := tx.UpdateOrder(ctx, *o); err != nil {
		return err
	}
	if err := s.recordPayment(ctx, tx, *o, paid); err != nil || o.Status() == Cancelled {
		return err // paid too late: the payment is refunded afterwards
	}
	switch {
	case before.Equal(o.PaidAt), o.Kind != "" && !before.IsZero():
		return nil // what a change or a renewal did to the license began when it was first known
	case o.Follows && before.IsZero():
		return s.settleFollower(ctx, tx, o)
	}
	l, err := tx.LicenseByID(ctx, o.LicenseID)
	switch {
	case err != nil:
		return err
	case before.IsZero() && !l.RevokedAt.IsZero() && o.RefundedAt.IsZero():
		return s.markCancelled(ctx, tx, o, s.Now()) // it was revoked by hand: the payment is refunded afterwards
	}
	l.Paid = true
	from := before
	if from.IsZero() {
		from = o.CreatedAt
	}
	l.MoveStart(from, o.PaidAt)
	if before.IsZero() && l.Months > 0 {
		l.Leeway = s.leeway(*o)
	}
	if err := tx.UpdateLicense(ctx, l); err != nil || !before.IsZero() {
		return err
	}
	return s.settled(ctx, tx, *o)
}

// settledAtOnce is settled for an order that is paid when it is made.
func (s *Service) settledAtOnce(ctx context.Context, tx Store, o Order) error {
	if o.Amount.Minor > 0 {
		if err := tx.PutPayment(ctx, o.paidWith()); err != nil {
			return err
		}
	}
	return s.settled(ctx, tx, o)
}

// settled does what happens once per order, when it is paid. Call it last in the transaction, because
// it makes other buyers of the product wait. Wake the Courier after the commit.
func (s *Service) settled(ctx context.Context, tx Store, o Order) error {
	free := o.Kind != "" && o.Amount.Minor == 0
	if o.Addressed() && !o.Demo && !free {
		if err := tx.AddReceipt(ctx, o.ID, s.Now()); err != nil {
			return err
		}
	}
	if err := tx.Publish(ctx, s.saleEvents(o)...); err != nil || o.Follows {
		return err
	}
	return tx.CountDownload(ctx, o.ProductID)
}

// giveUp cancels an order if it is still pending.
func (s *Service) giveUp(ctx context.Context, o Order) error {
	return s.update(ctx, &o, func(tx Store, o *Order) error {
		if o.Status() != Pending {
			return nil
		}
		return s.markCancelled(ctx, tx, o, s.Now())
	})
}

// markCancelled records that a pending order is cancelled, and revokes its license. tx has locked the order.
func (s *Service) markCancelled(ctx context.Context, tx Store, o *Order, at time.Time) error {
	o.CancelledAt = at.UTC()
	if err := tx.UpdateOrder(ctx, *o); err != nil {
		return err
	}
	if err := tx.Publish(ctx, o.event(event.OrderCancelled, s.Now())); err != nil {
		return err
	}
	if !o.Follows { // else the license is another order's
		if err := s.revoke(ctx, tx, o.LicenseID, at); err != nil {
			return err
		}
	}
	if o.Discount.None() {
		return nil
	}
	return tx.GiveBackUse(ctx, o.ID) // last: other buyers with the code wait
}

// markRefunded records that an order was refunded, and revokes its license or takes back what the order did to it. What
// was given back of its payments, and the mail to the buyer, are giveBack's. tx has locked the order.
func (s *Service) markRefunded(ctx context.Context, tx Store, o *Order, at time.Time) error {
	first := o.RefundedAt.IsZero()
	if first || at.Before(o.RefundedAt) {
		o.RefundedAt = at.UTC()
	}
	if err := tx.UpdateOrder(ctx, *o); err != nil {
		return err
	}
	if first {
		if err := tx.Publish(ctx, o.event(event.OrderRefunded, s.Now())); err != nil {
			return err
		}
	}
	switch {
	case o.Kind != "" && !first:
		return nil
	case o.Kind != "":
		return s.takeOut(ctx, tx, *o)
	case o.Follows && !o.CancelledAt.IsZero():
		return nil // it was paid too late: the license is not its
	case o.Follows && (!first || o.PaidAt.IsZero()):
		// The provider tells of the payment later. Somebody else may have claimed the trial by now, and keeps it.
		l, err := tx.LicenseByID(ctx, o.LicenseID)
		if err != nil || l.RevokedAt.IsZero() && (!first || !o.mayBuy(l)) {
			return err
		}
	}
	if err := s.oweFollowers(ctx, tx, *o, at); err != nil {
		return err
	}
	if err := s.refundTrial(ctx, tx, *o, at); err != nil {
		return err
	}
	return s.revoke(ctx, tx, o.LicenseID, at)
}

// revoke revokes a license, unless it is revoked already.
func (s *Service) revoke(ctx context.Context, tx Store, licenseID string, at time.Time) error {
	l, err := tx.LicenseByID(ctx, licenseID)
	if err != nil || !l.Revoke(at) {
		return err
	}
	if err := tx.UpdateLicense(ctx, l); err != nil || !l.Paid {
		return err // what was never paid was never issued
	}
	return tx.Publish(ctx, l.Event(event.LicenseRevoked, s.Now()))
}

// event returns the event that something happened to o.
func (o Order) event(t event.Type, at time.Time) event.Event {
	e := event.New(at, t, o.names())
	e.Demo = o.Demo
	return e
}

// names returns what events about o are about.
func (o Order) names() event.Names {
	about := event.Names{OrderID: o.ID, LicenseID: o.LicenseID, ProductID: o.ProductID}
	if reqctx.IsUser(o.UserID) {
		about.UserID = o.UserID
	}
	return about
}

// paidEvent returns the event that o is paid. It names the discount, if there is one.
func (o Order) paidEvent(at time.Time) event.Event {
	if o.Discount.None() {
		return o.event(event.OrderPaid, at)
	}
	type taken struct {
		Code     string      `json:"code"`
		Amount   json.Number `json:"amount"`
		Currency string      `json:"currency"`
	}
	data, _ := json.Marshal(struct { // texts and a number only
		event.Names

		Discount taken `json:"discount"`
	}{o.names(), taken{o.Discount.Code, o.Off().Amount(), o.Amount.Currency}})
	e := event.Published(at, event.OrderPaid, data)
	e.Demo = o.Demo
	return e
}
