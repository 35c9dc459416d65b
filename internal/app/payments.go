package app

import (
	"cmp"
	"fmt"

	"stoa/internal/operate/settings"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/payment/stripe"
)

// StripeConfig is the configuration of payments with Stripe.
type StripeConfig struct {
	// SecretKey and WebhookSecret come from Stripe. If both are empty, Stripe is not used.
	SecretKey, WebhookSecret string
	// APIBase is the address of the API; Stripe's own if empty.
	APIBase string
	// SuccessURL and CancelURL are the pages that buyers return to; stoa's own pages if empty.
	// {ORDER_ID} in them is replaced with the order's id.
	SuccessURL, CancelURL string
}

// newPayments returns the payment provider of a configuration.
func newPayments(cfg Config) (payment.Provider, error) {
	if cfg.Provider != nil {
		return cfg.Provider, nil
	}
	switch cfg.Payments {
	case "", "test":
		return payment.Test{}, nil
	case "live":
	default:
		return nil, settings.Wrong(fmt.Errorf("payments: %q is neither test nor live", cfg.Payments))
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
		return nil, settings.Wrong(fmt.Errorf("payments: %w", err))
	}
	return p, nil
}
