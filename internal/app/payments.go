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
	// Tax is how Stripe computes tax; Invoices lets it make invoices.
	Tax      stripe.TaxBehavior
	Invoices bool
}

// unused returns what is configured for Stripe and has no effect, because another provider takes the payments.
func (c StripeConfig) unused(provider string) (names []string) {
	if provider == "stripe" {
		return nil
	}
	if c.Tax != stripe.TaxOff {
		names = append(names, "STOA_STRIPE_TAX")
	}
	if c.Invoices {
		names = append(names, "STOA_STRIPE_INVOICES")
	}
	return names
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
		Tax:        cfg.Stripe.Tax, Invoices: cfg.Stripe.Invoices,
	})
	if err != nil {
		return nil, settings.Wrong(fmt.Errorf("payments: %w", err))
	}
	return p, nil
}
