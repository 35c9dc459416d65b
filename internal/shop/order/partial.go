package order

import (
	"context"
	"fmt"

	"stoa/internal/message/mail"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// Administrators get mail about what they have to look at.
type Administrators interface {
	// AdminEmails returns the e-mail addresses of all active administrators.
	AdminEmails(ctx context.Context) ([]string, error)
}

// inUnitsOf returns the amount of an event in the units of a currency, without what
// is less than one of them, and false if it is in another currency.
func inUnitsOf(currency string, e payment.Event) (minor int64, ok bool) {
	exp, _ := product.Exponent(currency)
	minor = e.Minor
	for ; exp < e.Exponent; exp++ {
		minor /= 10
	}
	for ; exp > e.Exponent; exp-- {
		minor *= 10
	}
	return minor, e.Currency == currency
}

// notePartial records that a part of the order's payment was refunded. Providers
// report the sum of all parts, and not always in order: the largest counts.
func (s *Service) notePartial(ctx context.Context, tx Store, o *Order, e payment.Event, n *Notice) error {
	minor, ok := inUnitsOf(o.Amount.Currency, e)
	if !ok || minor <= o.PartlyRefunded {
		return nil
	}
	if !o.ownsPayment(e.Reference) {
		n.Warning = "the partial refund is of another payment than the order's, and was not recorded"
		return nil
	}
	o.learn(e.Reference)
	o.PartlyRefunded = minor
	n.Done, n.partial = "a part of the order is refunded: "+o.refundedPart().String(), true
	return tx.UpdateOrder(ctx, *o)
}

// refundedPart returns what was refunded of an order that stays paid.
func (o *Order) refundedPart() product.Money {
	return product.Money{Minor: o.PartlyRefunded, Currency: o.Amount.Currency}
}

// GivenBack returns how much of the order's own amount its buyer got back so far. Later periods of a subscription do not
// count.
func (o *Order) GivenBack() product.Money {
	if !o.RefundedAt.IsZero() {
		return o.Amount
	}
	return o.refundedPart()
}

// tellPartial mails the administrators that a part of an order was refunded: only
// they know whether its license should go on.
func (s *Service) tellPartial(ctx context.Context, o Order) error {
	if s.Administrators == nil {
		return nil
	}
	admins, err := s.Administrators.AdminEmails(ctx)
	if err != nil {
		return err
	}
	for _, to := range admins {
		s.Poster.Post(ctx, func(ctx context.Context) (mail.Message, bool, error) {
			return partialMail(o, to, s.SiteName(ctx)), true, nil
		})
	}
	return nil
}

func partialMail(o Order, to, site string) mail.Message {
	return mail.Message{
		To: to, Subject: fmt.Sprintf("Order %s was refunded in part", o.ID),
		Text: fmt.Sprintf("At the payment provider, %s of the %s that order %s at %s cost were refunded.\n\n"+
			"The order stays paid, and its license (%s) goes on. If it should not, refund the rest or revoke the license.\n",
			o.refundedPart(), o.Amount, o.ID, site, o.LicenseID),
	}
}
