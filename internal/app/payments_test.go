package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/operate/settings"
	"stoa/internal/shop/payment/stripe"
)

// What is set for Stripe and has no effect is named at start.
func TestSettingsOfStripeHaveNoEffectWithoutIt(t *testing.T) {
	t.Parallel()

	both := StripeConfig{Tax: stripe.TaxExclusive, Invoices: true}
	for _, tt := range []struct {
		cfg      StripeConfig
		provider string
		want     []string
	}{
		{both, "stripe", nil},
		{both, "test", []string{"STOA_STRIPE_TAX", "STOA_STRIPE_INVOICES"}},
		{StripeConfig{Invoices: true}, "", []string{"STOA_STRIPE_INVOICES"}},
		{StripeConfig{}, "test", nil},
	} {
		if diff := cmp.Diff(tt.want, tt.cfg.unused(tt.provider)); diff != "" {
			t.Errorf("%+v with %q (-want +got):\n%s", tt.cfg, tt.provider, diff)
		}
	}
}

func TestTaxIsReadFromTheSetting(t *testing.T) {
	t.Parallel()

	for value, want := range map[string]stripe.TaxBehavior{"": stripe.TaxOff, "off": stripe.TaxOff, "inclusive": stripe.TaxInclusive, "exclusive": stripe.TaxExclusive} {
		var s settings.Serve
		s.StripeTax, s.StripeInvoices = value, "on"
		cfg, err := FromServe(s, settings.Site{})
		if err != nil || cfg.Stripe.Tax != want || !cfg.Stripe.Invoices {
			t.Errorf("%q: %+v, %v", value, cfg.Stripe, err)
		}
	}
}
