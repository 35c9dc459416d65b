package order

import (
	"context"

	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// billOf returns what an event says of tax and invoice of a payment of that amount, in the units of its currency.
func billOf(currency string, minor int64, e payment.Event) payment.Bill {
	b := e.Bill
	if e.Currency != currency {
		b.Taxed, b.Tax, b.Added = false, 0, 0
	}
	b.Tax = min(max(rescaled(b.Tax, e.Exponent, currency), 0), minor)
	b.Added = min(max(rescaled(b.Added, e.Exponent, currency), 0), b.Tax)
	return b
}

// recordBill keeps what an event says of tax and invoice of the payment with which an order is paid. Several events do,
// in any order. tx has locked the order, and the payment is recorded.
func (s *Service) recordBill(ctx context.Context, tx Store, o Order, e payment.Event) error {
	list, err := s.paymentsOf(ctx, tx, o)
	if err != nil || len(list) == 0 || list[0].Seq != firstPayment || !o.ownsPayment(e.Reference) {
		return err
	}
	return s.putBill(ctx, tx, list[0], list[0], e)
}

// putBill adds what an event says of tax and invoice to a payment, and writes it if that changes what is there.
func (s *Service) putBill(ctx context.Context, tx Store, there, p Payment, e payment.Event) error {
	if p.Bill = p.Bill.With(billOf(p.Currency, p.Minor, e)); p == there {
		return nil
	}
	return tx.PutPayment(ctx, p)
}

// Total returns what was paid at first, with tax.
func (o *Listed) Total() product.Money {
	return product.Money{Minor: o.Paid, Currency: o.Amount.Currency}
}

// Tax returns the tax in the total. It is known if the Bill is Taxed.
func (o *Listed) Tax() product.Money {
	return product.Money{Minor: o.Bill.Tax, Currency: o.Amount.Currency}
}

// Net returns the total without tax.
func (o *Listed) Net() product.Money {
	return product.Money{Minor: o.Paid - o.Bill.Tax, Currency: o.Amount.Currency}
}

// hasInvoice reports whether the buyer has an invoice of one of the payments.
func hasInvoice(paid []Payment) bool {
	for _, p := range paid {
		if p.Bill.Number != "" {
			return true
		}
	}
	return false
}
