package order

import (
	"context"
	"errors"

	"stoa/internal/shop/payment"
)

// OpenPortal returns the address where the user in ctx manages how an order is paid: the payment provider's page, which
// leads back to the order, or stoa's stand-in for one with test payments. What is changed there comes back by webhook.
//
// It returns ErrNotFound for an order of anybody else, ErrNoCustomer, ErrOtherProvider and ErrProviderUnreachable.
func (s *Service) OpenPortal(ctx context.Context, id string) (string, error) {
	o, err := s.own(ctx, id)
	switch {
	case err != nil:
		return "", err
	case o.Provider == "" || o.PaidAt.IsZero():
		return "", ErrNoCustomer
	case o.Provider == (payment.Test{}).Name():
		return s.PublicURL + "/payment/portal/" + o.ID, nil
	}
	var url string
	err = s.ask(o.Order, func() (err error) {
		url, err = s.Payments.OpenPortal(ctx, o.Payment, s.PublicURL+"/orders/"+o.ID)
		return err
	})
	if errors.Is(err, payment.ErrRefused) {
		err = ErrNoCustomer.Because(err)
	}
	return url, err
}
