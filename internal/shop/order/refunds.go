package order

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/base/ids"
	"stoa/internal/message/mail"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

// Refund is what was given back of one payment.
type Refund struct {
	ID, OrderID string
	Seq         int // of the Payment
	Amount      product.Money
	Reason      string
	// By is the id of a user or a service, ByProvider or ByStoa. Empty if that was not kept yet.
	By         string
	At         time.Time
	CreditNote string
}

// Who gave back what nobody asked for here.
const (
	ByProvider = "provider" // somebody in its dashboard
	ByStoa     = "stoa"     // on its own: a payment that came too late
)

// RefundDue is a refund for which the provider is being asked. An order has one at most, so that nothing is asked
// for beyond what was paid.
type RefundDue struct {
	ID, OrderID string
	Seq         int   // of the Payment of which a part is given back; 0 if it is all of all
	Minor       int64 // the part
	Reason      string
	By          audit.Actor
	At          time.Time

	asked time.Time            // when the provider was asked; zero if it is not
	notes []payment.CreditNote // with which it answered
	mails []mail.Sealed        // to administrators
}

func (d RefundDue) whole() bool { return d.Minor == 0 }

// by returns the Refund.By of who asked.
func (d RefundDue) by() string { return cmp.Or(d.By.ID, ByStoa) }

func (s *Service) newRefundDue(ctx context.Context, orderID string, req RefundRequest) RefundDue {
	who := audit.New(ctx, s.Now(), audit.OrderRefund, audit.Target{}, nil).Actor
	return RefundDue{
		ID: cmp.Or(req.ID, ids.New()), OrderID: orderID, Reason: req.Reason, By: who, At: s.Now().UTC(),
	}
}

// RefundStore is what was given back in the database.
type RefundStore interface {
	// RefundDueOf returns the refund of an order for which the provider is being asked, if there is one.
	RefundDueOf(ctx context.Context, orderID string) (RefundDue, bool, error)

	// AddRefundDue inserts a refund that is due. It returns an errs.Conflict error if the order has one.
	AddRefundDue(ctx context.Context, d RefundDue) error

	// DropRefundDue deletes a refund that is due, and reports whether it was there. With refused, the buyer who
	// asked for it may ask again (TakeRefundRight).
	DropRefundDue(ctx context.Context, d RefundDue, refused bool) (bool, error)

	// HasRefund reports whether an order has a refund with that id.
	HasRefund(ctx context.Context, orderID, id string) (bool, error)

	// AddRefund inserts what was given back. The payment keeps the sum: PutPayment.
	AddRefund(ctx context.Context, r Refund) error

	// RefundsOf returns what was given back of orders, the oldest first.
	RefundsOf(ctx context.Context, orderIDs ...string) (map[string][]Refund, error)

	// TakeRefundRight records that a user takes back an order of a product, which each may do once. It reports
	// false if the user took back another one.
	TakeRefundRight(ctx context.Context, productID, userID, orderID string, at time.Time) (bool, error)

	// TakenBack reports whether the buyer of an order takes it back, or has: TakeRefundRight.
	TakenBack(ctx context.Context, orderID string) (bool, error)

	// RefundRightTaken reports whether a user took back an order of a product.
	RefundRightTaken(ctx context.Context, productID, userID string) (bool, error)
}

// completeRefund records that the provider gave back what was due. tx has locked the order. Wake the Courier
// after the commit.
func (s *Service) completeRefund(ctx context.Context, tx Store, listed Listed, o *Order, due RefundDue) error {
	paid, err := s.paymentsOf(ctx, tx, *o)
	if err != nil {
		return err
	}
	g := giving{
		id: due.ID, by: due.by(), reason: due.Reason, at: s.Now(), asked: due.asked, whole: due.whole(), paid: paid,
		notes: due.notes,
	}
	if g.whole {
		g.giveAll()
	} else if i := slices.IndexFunc(paid, func(p Payment) bool { return p.Seq == due.Seq }); i >= 0 {
		g.give(i, min(due.Minor, paid[i].Left()))
	}
	if !g.whole && len(paid) > 0 && !slices.ContainsFunc(g.paid, func(p Payment) bool { return p.Left() > 0 }) {
		g.whole = true
	}
	if err := s.giveBack(ctx, tx, o, g); err != nil {
		return err
	}
	if !g.whole {
		if err := s.oweRest(ctx, tx, *o); err != nil {
			return err
		}
	}
	if s.Demo {
		return nil // nobody did what a demo makes up
	}
	for _, m := range due.mails {
		if err := tx.AddMail(ctx, m); err != nil {
			return err
		}
	}
	amount := product.Money{Minor: g.sum, Currency: o.Amount.Currency}
	entry := audit.New(ctx, s.Now(), audit.OrderRefund, audit.Target{Type: "order", ID: o.ID}, audit.Details{
		"product": listed.ProductSlug, "amount": amount.Amount(), "currency": amount.Currency, "licenseId": o.LicenseID,
	})
	if entry.Actor != due.By { // somebody else goes on with it
		entry.Actor, entry.Behalf, entry.Address, entry.RequestID = due.By, audit.Behalf{}, "", ""
	}
	return tx.Record(ctx, entry)
}

// giving is what is given back at one time.
type giving struct {
	id, by, reason string
	at             time.Time
	// asked is since when the provider may not have given back what was paid (Order.tooLate); zero: since at.
	asked time.Time
	// whole says that the order is refunded with it: its license goes.
	whole bool
	paid  []Payment // of the order, with what give adds
	notes []payment.CreditNote
	given []Refund
	sum   int64
}

// giveAll adds all that is left of all payments.
func (g *giving) giveAll() {
	for i, p := range g.paid {
		g.give(i, p.Left())
	}
}

// give adds what is given back of the i-th payment.
func (g *giving) give(i int, minor int64) {
	if minor <= 0 {
		return
	}
	p := &g.paid[i]
	p.Refunded += minor
	g.sum += minor
	r := Refund{
		ID: cmp.Or(g.id, ids.New()), OrderID: p.OrderID, Seq: p.Seq, Reason: g.reason, By: g.by, At: g.at.UTC(),
		Amount: product.Money{Minor: minor, Currency: p.Currency},
	}
	if len(g.given) > 0 {
		r.ID = ids.New()
	}
	for _, n := range g.notes {
		if n.Invoice == p.Invoice {
			r.CreditNote = n.Number
		}
	}
	g.given = append(g.given, r)
}

// giveBack records what is given back of an order's payments, and tells the buyer and subscribers. tx has locked
// the order. Wake the Courier after the commit.
func (s *Service) giveBack(ctx context.Context, tx Store, o *Order, g giving) error {
	for _, r := range g.given {
		if err := tx.AddRefund(ctx, r); err != nil {
			return err
		}
		for _, p := range g.paid {
			if p.Seq == r.Seq {
				if err := tx.PutPayment(ctx, p); err != nil {
					return err
				}
			}
		}
	}
	switch over := !o.RefundedAt.IsZero() || !o.CancelledAt.IsZero(); {
	case g.whole:
		since := g.at
		if !g.asked.IsZero() {
			since = g.asked
		}
		if err := s.markRefunded(ctx, tx, o, since); err != nil {
			return err
		}
	case len(g.given) == 0:
		return nil
	case !over:
		o.PartlyRefunded = 0
		for _, p := range g.paid {
			o.PartlyRefunded += p.Refunded
		}
		if err := tx.UpdateOrder(ctx, *o); err != nil {
			return err
		}
		if err := tx.Publish(ctx, o.partEvent(g.sum, s.Now())); err != nil {
			return err
		}
	}
	if len(g.given) == 0 || !o.Addressed() || o.Demo {
		return nil
	}
	return tx.AddRefundNotice(ctx, RefundNotice{
		ID: g.given[0].ID, OrderID: o.ID, Minor: g.sum,
		Whole: !o.RefundedAt.IsZero() || !o.CancelledAt.IsZero(),
	}, s.Now())
}

// partEvent returns the event that a part of o was given back.
func (o Order) partEvent(minor int64, at time.Time) event.Event {
	data, _ := json.Marshal(struct { // texts and a number only
		event.Names

		Amount   json.Number `json:"amount"`
		Currency string      `json:"currency"`
	}{o.names(), product.Money{Minor: minor, Currency: o.Amount.Currency}.Amount(), o.Amount.Currency})
	e := event.Published(at, event.OrderPartlyRefunded, data)
	e.Demo = o.Demo
	return e
}

// latest returns the payment from which parts are given back. Its zero value has nothing left.
func latest(paid []Payment) (p Payment) {
	for _, other := range paid {
		if p.Seq == 0 || !other.At.Before(p.At) {
			p = other
		}
	}
	return p
}

// markBack records that the provider gave back, by now, so much of a payment of an order. Providers report the sum,
// and not always in order: the largest counts; below 0 it is all. It returns how much is new. tx has locked the order.
func (s *Service) markBack(ctx context.Context, tx Store, o *Order, p Payment, sum int64, g giving) (int64, error) {
	paid, err := s.paymentsOf(ctx, tx, *o)
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(paid, func(other Payment) bool {
		return other.Seq == p.Seq || p.Seq == 0 && other.Invoice == p.Invoice
	})
	if i < 0 { // its payment is not reported yet
		if p.Seq == 0 {
			p.Seq = nextSeq(paid)
		}
		if err := p.attribute(ctx, tx, *o, time.Time{}, time.Time{}); err != nil {
			return 0, err
		}
		if err := tx.PutPayment(ctx, p); err != nil {
			return 0, err
		}
		paid, i = append(paid, p), len(paid)
	}
	if sum < 0 {
		sum = paid[i].Minor
	}
	paid[i].Minor = max(paid[i].Minor, sum)
	g.paid = paid
	g.give(i, sum-paid[i].Refunded)
	return g.sum, s.giveBack(ctx, tx, o, g)
}

// nextSeq returns the Seq of the next payment after the first.
func nextSeq(paid []Payment) int {
	seq := firstPayment
	for _, p := range paid {
		seq = max(seq, p.Seq)
	}
	return seq + 1
}
