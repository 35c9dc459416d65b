package order

import (
	"context"
	"errors"

	"stoa/internal/base/errs"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// Administrators get mail about what they have to look at.
type Administrators interface {
	// Admins returns all active administrators.
	Admins(ctx context.Context) ([]mail.Reader, error)
}

// inUnitsOf returns the amount of an event in the units of a currency, without what
// is less than one of them, and false if it is in another currency.
func inUnitsOf(currency string, e payment.Event) (minor int64, ok bool) {
	return rescaled(e.Minor, e.Exponent, currency), e.Currency == currency
}

// rescaled returns an amount with that many decimals in the units of a currency, without what is less than one of them.
func rescaled(minor int64, exponent int, currency string) int64 {
	exp, _ := product.Exponent(currency)
	for ; exp < exponent; exp++ {
		minor /= 10
	}
	for ; exp > exponent; exp-- {
		minor *= 10
	}
	return minor
}

// ofRefund reports whether events of a kind say how much of a payment was refunded by now.
func ofRefund(kind payment.EventKind) bool {
	return kind == payment.Refunded || kind == payment.PartlyRefunded || kind == payment.PeriodRefunded
}

// finishDue finishes the refund that the provider is being asked for, if there is one for the order of an event: what
// the event tells may include it, and must not count twice.
func (s *Service) finishDue(ctx context.Context, e payment.Event) error {
	found, err := s.orderOf(ctx, s.Store, e)
	if errs.KindOf(err) == errs.NotFound {
		return nil
	} else if err != nil {
		return err
	}
	_, err = s.goOnWithRefund(ctx, found.ID)
	if errors.Is(err, ErrRefundRefused) {
		return nil
	}
	return err
}

// goOnWithRefund finishes the refund of an order that is due, and reports whether there was one.
func (s *Service) goOnWithRefund(ctx context.Context, id string) (bool, error) {
	due, ok, err := s.Store.RefundDueOf(ctx, id)
	if err != nil || !ok {
		return false, err
	}
	o, err := s.Get(ctx, id)
	if err != nil {
		return false, err
	}
	return true, s.finishRefund(ctx, o, due)
}

// noteRefund records that the whole payment of an order was refunded at the provider.
func (s *Service) noteRefund(ctx context.Context, tx Store, o *Order, e payment.Event) error {
	sum, ok := inUnitsOf(o.Amount.Currency, e)
	if !ok || sum == 0 {
		sum = -1
	}
	_, err := s.markBack(ctx, tx, o, o.paidBy(e), sum, giving{by: ByProvider, at: e.At, whole: true})
	return err
}

// paidBy returns the payment with which an order was paid, which may be reported after an event about it.
func (o *Order) paidBy(e payment.Event) Payment {
	p := o.paidWith()
	if p.At.IsZero() {
		p.At = e.At
	}
	return p
}

// notePeriod records that the payment of a further period was refunded, or a part of it. The order stays as it is.
func (s *Service) notePeriod(ctx context.Context, tx Store, o *Order, e payment.Event, out *Outcome) error {
	sum, ok := inUnitsOf(o.Amount.Currency, e)
	if !ok || e.Reference.Invoice == "" {
		return nil
	}
	whole, _ := inUnitsOf(e.Currency, payment.Event{Minor: e.Whole, Exponent: e.Exponent, Currency: e.Currency})
	p := Payment{
		OrderID: o.ID, Invoice: e.Reference.Invoice, ID: e.Reference.Payment, At: e.At, Minor: whole, Currency: e.Currency,
	}
	fresh, err := s.markBack(ctx, tx, o, p, sum, giving{by: ByProvider, at: e.At})
	if fresh > 0 {
		out.Done = "of a further period, " + product.Money{Minor: fresh, Currency: e.Currency}.String() + " are refunded"
	}
	return err
}

// noteChange records that the payment of a change was refunded, or a part of it.
func (s *Service) noteChange(ctx context.Context, tx Store, o *Order, e payment.Event, out *Outcome) error {
	if e.Minor < e.Whole {
		return s.notePartial(ctx, tx, o, e, out)
	}
	if err := s.noteRefund(ctx, tx, o, e); err != nil {
		return err
	}
	out.Done, out.Status = "the order is "+string(o.Status()), o.Status()
	return nil
}

// notePartial records that a part of the order's payment was refunded.
func (s *Service) notePartial(ctx context.Context, tx Store, o *Order, e payment.Event, out *Outcome) error {
	minor, ok := inUnitsOf(o.Amount.Currency, e)
	if !ok {
		return nil
	}
	if !o.ownsPayment(e.Reference) {
		out.Warning = "the partial refund is of another payment than the order's, and was not recorded"
		return nil
	}
	o.learn(e.Reference)
	fresh, err := s.markBack(ctx, tx, o, o.paidBy(e), minor, giving{by: ByProvider, at: e.At})
	if fresh > 0 && o.RefundedAt.IsZero() {
		out.Done, out.partial = "a part of the order is refunded: "+o.refundedPart().String(), true
	}
	return err
}

// refundedPart returns what was refunded of an order that stays paid.
func (o *Order) refundedPart() product.Money {
	return product.Money{Minor: o.PartlyRefunded, Currency: o.Amount.Currency}
}

// mailPartial mails the administrators that a part of an order was refunded: only
// they know whether its license should go on.
func (s *Service) mailPartial(ctx context.Context, o Order) error {
	if s.Administrators == nil {
		return nil
	}
	admins, err := s.Administrators.Admins(ctx)
	if err != nil {
		return err
	}
	for _, to := range admins {
		s.Poster.Post(ctx, func(context.Context) (mail.Message, bool, error) {
			return administratorMail(template.PartlyRefunded, to, o), true, nil
		})
	}
	return nil
}

// administratorMail is a mail to an administrator about an order.
func administratorMail(kind template.Kind, to mail.Reader, o Order) mail.Message {
	return kind.Message(to.Address, to.Language, map[string]string{
		template.OrderID: o.ID, template.Amount: o.Amount.String(), template.RefundAmount: o.refundedPart().String(),
		template.License: o.LicenseID,
	})
}
