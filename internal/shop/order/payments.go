package order

import (
	"context"
	"time"

	"stoa/internal/shop/discount"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// Payment is one payment of an order, and what was given back of it.
type Payment struct {
	OrderID string
	// Seq is 1 for the payment with which the order was paid. The later periods of a subscription follow in
	// the order in which they become known.
	Seq int
	// Invoice and ID are the provider's references. Empty if there is none, or none is known.
	Invoice, ID string
	At          time.Time
	// Minor is what was paid, Refunded what was given back of it.
	Minor, Refunded int64
	Currency        string
	// Code is that of the discount with which it was paid. Empty without one.
	Code string
	// TierID is the tier that a further period was paid for. Empty: that of the order.
	TierID string
	// Bill is what is known of tax and invoice, in the units of Minor.
	Bill payment.Bill
}

// Left returns how much of the payment was not given back.
func (p Payment) Left() int64 { return max(p.Minor-p.Refunded, 0) }

// firstPayment is the Seq of the payment with which an order was paid.
const firstPayment = 1

// PaymentStore is what was paid for orders in the database.
type PaymentStore interface {
	// PaymentsOf returns the payments of an order, by Seq.
	PaymentsOf(ctx context.Context, orderID string) ([]Payment, error)

	// PutPayment inserts a payment, or overwrites what is known of it: Invoice, ID, At, Minor, Refunded and Bill. Sales
	// by day count it in the same transaction, which has locked the order.
	PutPayment(ctx context.Context, p Payment) error

	// FillPayments adds the first payments of orders paid at or after since that have none, except changes: the previous
	// release, which may still run beside this one, does not write them.
	FillPayments(ctx context.Context, since time.Time) error
}

// paymentsOf returns the payments of an order. One that is paid has its first, whoever recorded that it is.
// tx has locked the order.
func (s *Service) paymentsOf(ctx context.Context, tx Store, o Order) ([]Payment, error) {
	list, err := tx.PaymentsOf(ctx, o.ID)
	if err != nil || o.PaidAt.IsZero() || !o.lacks(list) {
		return list, err
	}
	p := o.paidWith()
	return append([]Payment{p}, list...), tx.PutPayment(ctx, p)
}

// lacks reports whether the first payment of an order that is paid is missing. A change of plan may have none, whatever
// was expected: the provider may charge nothing.
func (o *Order) lacks(list []Payment) bool {
	return o.Amount.Minor > 0 && o.Kind != Change && (len(list) == 0 || list[0].Seq != firstPayment)
}

// paidWith returns the payment with which an order was paid, as far as the order tells.
func (o *Order) paidWith() Payment {
	return Payment{
		OrderID: o.ID, Seq: firstPayment, Invoice: o.Payment.Invoice, ID: o.Payment.Payment, At: o.PaidAt,
		Minor: o.Amount.Minor, Currency: o.Amount.Currency, Code: o.Discount.Code,
	}
}

// attribute fills in for what tier and with which code a period of an order that ends and was billed then is paid:
// after a change of plan the tier is not the order's, and a code that holds for ever is taken off it if it is for that
// tier, too. tx has locked the order.
func (p *Payment) attribute(ctx context.Context, tx Store, o Order, end, billed time.Time) error {
	if p.Seq == firstPayment {
		p.Code = o.Discount.Code
		return nil
	}
	l, err := tx.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	reduced := o.Discount.Duration == discount.Forever
	if tier := l.TierUntil(end, billed); tier != o.TierID {
		p.TierID = tier
		if reduced {
			if reduced, err = tx.Reduces(ctx, o.Discount.ID, tier); err != nil {
				return err
			}
		}
	}
	if reduced {
		p.Code = o.Discount.Code
	}
	return nil
}

// recordPayment records the payment with which an order is paid. It may be called again: the amount, like
// the references, is what is known by then. That of a change is what the provider says, be it less than expected. What
// cost nothing has no payment. tx has locked the order.
func (s *Service) recordPayment(ctx context.Context, tx Store, o Order, minor int64) error {
	list, err := tx.PaymentsOf(ctx, o.ID)
	if err != nil {
		return err
	}
	known := len(list) > 0 && list[0].Seq == firstPayment
	if minor == 0 && !known {
		return nil
	}
	p := o.paidWith()
	if known {
		p = list[0]
	}
	least := p.Minor
	if o.Kind == Change {
		least = p.Refunded
	}
	p.At, p.Minor, p.Invoice, p.ID = o.PaidAt, max(minor, least), o.Payment.Invoice, o.Payment.Payment
	if known && p == list[0] {
		return nil
	}
	return tx.PutPayment(ctx, p)
}

// recordPeriod records the payment of a further period of an order's subscription, once for each invoice. tx
// has locked the order.
func (s *Service) recordPeriod(ctx context.Context, tx Store, o Order, e payment.Event) error {
	list, err := s.paymentsOf(ctx, tx, o)
	if err != nil || e.Reference.Invoice == "" {
		return err
	}
	for i, p := range list {
		switch {
		case p.Invoice != e.Reference.Invoice:
			continue
		case e.At.Before(p.At): // an event about its refund was quicker
			p.At = e.At
		}
		return s.putBill(ctx, tx, list[i], p, e)
	}
	minor, ok := inUnitsOf(o.Amount.Currency, e)
	if !ok {
		minor = o.regular().Minor
	}
	p := Payment{
		OrderID: o.ID, Seq: nextSeq(list), Invoice: e.Reference.Invoice, ID: e.Reference.Payment, At: e.At,
		Minor: minor, Currency: o.Amount.Currency, Bill: billOf(o.Amount.Currency, minor, e),
	}
	if err := p.attribute(ctx, tx, o, e.Until, e.BilledAt); err != nil {
		return err
	}
	return tx.PutPayment(ctx, p)
}

// regular returns what each further period costs.
func (o *Order) regular() product.Money {
	m := o.Amount
	if o.reduced() {
		m.Minor += o.Discount.Minor
	}
	return m
}
