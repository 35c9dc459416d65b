package stripe

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/stripe/stripe-go/v85"

	"stoa/internal/shop/payment"
)

// portalKey is the metadata key of the portal's configuration at Stripe, and portalVersion its value: another one makes
// a new configuration.
const (
	portalKey     = "stoaPortal"
	portalVersion = "1"
)

// portal remembers the id of the portal's configuration.
type portal struct{ id atomic.Pointer[string] }

// OpenPortal implements payment.Provider.
func (p *Provider) OpenPortal(ctx context.Context, r payment.Reference, back string) (string, error) {
	customer, err := p.customerOf(ctx, r)
	if err != nil {
		return "", err
	}
	known := p.portal.id.Load()
	configuration, err := p.configuration(ctx)
	if err != nil {
		return "", err
	}
	url, err := p.openPortal(ctx, customer, configuration, back)
	if known != nil && errors.Is(err, payment.ErrRefused) {
		// Somebody may have switched the remembered configuration off.
		p.portal.id.Store(nil)
		if configuration, err = p.configuration(ctx); err == nil {
			url, err = p.openPortal(ctx, customer, configuration, back)
		}
	}
	return url, err
}

func (p *Provider) openPortal(ctx context.Context, customer, configuration, back string) (string, error) {
	session, err := p.client.V1BillingPortalSessions.Create(ctx, &stripe.BillingPortalSessionCreateParams{
		Customer: &customer, Configuration: &configuration, ReturnURL: &back,
	})
	if err != nil {
		return "", explain("open the customer portal", err)
	}
	return session.URL, nil
}

// customerOf returns the id of who pays. Orders that are older than this know the page only, and changes of plan the
// invoice.
func (p *Provider) customerOf(ctx context.Context, r payment.Reference) (string, error) {
	var found *stripe.Customer
	switch {
	case r.Customer != "":
		return r.Customer, nil
	case r.Session != "":
		page, err := p.client.V1CheckoutSessions.Retrieve(ctx, r.Session, nil)
		if err != nil {
			return "", explain("look at a checkout page", err)
		}
		found = page.Customer
	case r.Subscription != "":
		sub, err := p.client.V1Subscriptions.Retrieve(ctx, r.Subscription, nil)
		if err != nil {
			return "", explain("look at a subscription", err)
		}
		found = sub.Customer
	case r.Invoice != "":
		i, err := p.client.V1Invoices.Retrieve(ctx, r.Invoice, nil)
		if err != nil {
			return "", explain("look at an invoice", err)
		}
		found = i.Customer
	}
	if found == nil {
		return "", fmt.Errorf("stripe: the payment has no customer: %w", payment.ErrRefused)
	}
	return found.ID, nil
}

// configuration returns the id of the portal's configuration. It is made once for an account at Stripe, and found by
// its metadata later, by each process. Two that make it at the same time have the same key, and so get the same one.
func (p *Provider) configuration(ctx context.Context) (string, error) {
	if id := p.portal.id.Load(); id != nil {
		return *id, nil
	}
	params := &stripe.BillingPortalConfigurationListParams{Active: stripe.Bool(true)}
	params.Limit = stripe.Int64(100)
	for c, err := range p.client.V1BillingPortalConfigurations.List(ctx, params).All(ctx) {
		if err != nil {
			return "", explain("look for the configuration of the customer portal", err)
		}
		if c.Metadata[portalKey] == portalVersion {
			p.portal.id.Store(&c.ID)
			return c.ID, nil
		}
	}
	made, err := p.client.V1BillingPortalConfigurations.Create(ctx, newConfiguration())
	if err != nil {
		return "", explain("configure the customer portal", err)
	}
	p.portal.id.Store(&made.ID)
	return made.ID, nil
}

// newConfiguration lets customers change what they pay with and what is on their invoices, and end a subscription with
// the period that is paid. Changes of plan have rules of their own, which the portal does not know.
func newConfiguration() *stripe.BillingPortalConfigurationCreateParams {
	on := stripe.Bool(true)
	params := &stripe.BillingPortalConfigurationCreateParams{
		Metadata: map[string]string{portalKey: portalVersion},
		Features: &stripe.BillingPortalConfigurationCreateFeaturesParams{
			CustomerUpdate: &stripe.BillingPortalConfigurationCreateFeaturesCustomerUpdateParams{
				Enabled: on, AllowedUpdates: stripe.StringSlice([]string{"address", "tax_id"}),
			},
			InvoiceHistory:      &stripe.BillingPortalConfigurationCreateFeaturesInvoiceHistoryParams{Enabled: on},
			PaymentMethodUpdate: &stripe.BillingPortalConfigurationCreateFeaturesPaymentMethodUpdateParams{Enabled: on},
			SubscriptionCancel: &stripe.BillingPortalConfigurationCreateFeaturesSubscriptionCancelParams{
				Enabled: on, Mode: stripe.String("at_period_end"),
			},
			SubscriptionUpdate: &stripe.BillingPortalConfigurationCreateFeaturesSubscriptionUpdateParams{
				Enabled: stripe.Bool(false),
			},
		},
	}
	params.SetIdempotencyKey("stoa-portal-" + portalVersion)
	return params
}
