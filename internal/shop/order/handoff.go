package order

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
	"stoa/internal/shop/product"
)

// How long a handoff lasts.
const (
	HandoffUnpaid  = time.Hour           // without an order
	HandoffPending = 14 * 24 * time.Hour // since its order was placed, and again since that was paid
	HandoffClaimed = 24 * time.Hour      // since the key was first given
)

// Handoff is what an order may be placed for: another stoa, which gets the license key in place of the buyer. Package
// handoff has the rest of it. Its state follows from the times and the order.
type Handoff struct {
	ID        string
	ProductID string
	TierID    string
	LicenseID string // of the trial that is to be bought; empty for a new license
	CreatedAt time.Time
	ClaimedAt time.Time // when the key was first given; zero if it was not
	Order     Order     // the last one placed for it; the zero Order without one
}

// HandoffState is where a handoff is in its life.
type HandoffState string

// A handoff whose order was cancelled is open again, as long as it lasts.
const (
	HandoffIsOpen    HandoffState = "open"    // nothing is ordered
	HandoffIsPending HandoffState = "pending" // ordered, and not paid
	HandoffIsPaid    HandoffState = "paid"    // the key waits
	HandoffIsClaimed HandoffState = "claimed" // the key was given, and is again
	HandoffIsOver    HandoffState = "expired"
)

// ends returns when the handoff is over, if nothing happens to it, and what it is until then.
func (h *Handoff) ends() (time.Time, HandoffState) {
	o := &h.Order
	placed := o.CreatedAt.Add(HandoffPending)
	switch status := o.Status(); {
	case o.ID == "" || status == Cancelled:
		return h.CreatedAt.Add(HandoffUnpaid), HandoffIsOpen
	case status == Refunded: // its license is revoked
		return o.RefundedAt, HandoffIsPaid
	case !h.ClaimedAt.IsZero():
		return h.ClaimedAt.Add(HandoffClaimed), HandoffIsClaimed
	case status == Paid && o.PaidAt.Before(placed): // else the other stoa was told that it is over
		return o.PaidAt.Add(HandoffPending), HandoffIsPaid
	}
	return placed, HandoffIsPending
}

// At returns the state at a time, and when the handoff is over if nothing happens to it.
func (h *Handoff) At(t time.Time) (HandoffState, time.Time) {
	end, state := h.ends()
	if !t.Before(end) {
		state = HandoffIsOver
	}
	return state, end
}

// Handoffs is what orders need of the handoffs in the database.
type Handoffs interface {
	// HandoffByID returns a handoff with its last order, or an errs.NotFound error. Inside InTx it stays locked until the
	// transaction ends, and its order is read after the lock was granted. Lock a handoff before licenses and orders.
	HandoffByID(ctx context.Context, id string) (Handoff, error)

	// BindHandoff makes an order the last one of a handoff.
	BindHandoff(ctx context.Context, id, orderID string) error
}

// forHandoff returns the request with the trial that its handoff wants to buy, if there is one. It returns the errors
// of mayOrderFor, and ErrHandoffTrial.
func (s *Service) forHandoff(ctx context.Context, p product.Product, req PurchaseRequest) (PurchaseRequest, error) {
	if req.HandoffID == "" {
		return req, nil
	}
	h, err := s.mayOrderFor(ctx, s.Store, p.ID, req)
	if err != nil || h.LicenseID == "" {
		return req, err
	}
	req.trial, err = s.Store.LicenseByID(ctx, h.LicenseID)
	if err != nil || buyable(req.trial, p.ID, buyer(ctx)) {
		return req, err
	}
	// Whoever was quicker may have bought it for this handoff: then that is what there is to say.
	if _, err := s.mayOrderFor(ctx, s.Store, p.ID, req); err != nil {
		return req, err
	}
	return req, ErrHandoffTrial
}

// mayOrderFor returns the handoff of a request for which a product may be ordered now, or ErrHandoffUnknown,
// ErrHandoffOther, ErrHandoffOver and ErrHandoffTaken.
func (s *Service) mayOrderFor(ctx context.Context, tx Store, productID string, req PurchaseRequest) (Handoff, error) {
	h, err := tx.HandoffByID(ctx, req.HandoffID)
	if errs.KindOf(err) == errs.NotFound {
		err = ErrHandoffUnknown
	}
	if err != nil {
		return h, err
	}
	if h.ProductID != productID || h.TierID != req.TierID {
		return h, ErrHandoffOther
	}
	switch state, _ := h.At(s.Now()); state {
	case HandoffIsOver:
		return h, ErrHandoffOver
	case HandoffIsPending, HandoffIsPaid, HandoffIsClaimed:
		return h, ErrHandoffTaken
	case HandoffIsOpen:
	}
	return h, nil
}

// bindHandoff ties a new order to the handoff of its request, if it has one. Call it first in the transaction.
func (s *Service) bindHandoff(ctx context.Context, tx Store, o Order, req PurchaseRequest) error {
	if req.HandoffID == "" {
		return nil
	}
	if _, err := s.mayOrderFor(ctx, tx, o.ProductID, req); err != nil {
		return err
	}
	return tx.BindHandoff(ctx, req.HandoffID, o.ID)
}

// withoutKey returns a confirmation without the license key if that is another stoa's.
func (c Confirmation) withoutKey(req PurchaseRequest) Confirmation {
	if req.HandoffID != "" {
		c.LicenseKey = license.Key{}
	}
	return c
}
