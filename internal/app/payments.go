package app

import (
	"cmp"
	"fmt"

	"stoa/internal/market/payment"
	"stoa/internal/market/payment/stripe"
)

// StripeConfig is how payments are taken with Stripe.
type StripeConfig struct {
	// SecretKey and WebhookSecret are Stripe's. Both empty: no Stripe.
	SecretKey, WebhookSecret string
	// APIBase is the address of the API; Stripe's own if empty.
	APIBase string
	// SuccessURL and CancelURL are where buyers come back to; pages of stoa's own if
	// empty. {ORDER_ID} in them becomes the order's id.
	SuccessURL, CancelURL string
}

// newPayments returns the provider that takes the payments of a configuration.
func newPayments(cfg Config) (payment.Provider, error) {
	if cfg.Provider != nil {
		return cfg.Provider, nil
	}
	switch cfg.Payments {
	case "", "test":
		return payment.Test{}, nil
	case "live":
	default:
		return nil, fmt.Errorf("payments: %q is neither test nor live", cfg.Payments)
	}
	if cfg.Stripe.SecretKey == "" && cfg.Stripe.WebhookSecret == "" {
		return payment.None{}, nil
	}
	p, err := stripe.New(stripe.Config{
		SecretKey: cfg.Stripe.SecretKey, WebhookSecret: cfg.Stripe.WebhookSecret, APIBase: cfg.Stripe.APIBase,
		SuccessURL: cmp.Or(cfg.Stripe.SuccessURL, cfg.PublicURL+"/payment/success?order="+stripe.OrderPlaceholder),
		CancelURL:  cmp.Or(cfg.Stripe.CancelURL, cfg.PublicURL+"/payment/cancelled?order="+stripe.OrderPlaceholder),
	})
	if err != nil {
		return nil, fmt.Errorf("payments: %w", err)
	}
	return p, nil
}
