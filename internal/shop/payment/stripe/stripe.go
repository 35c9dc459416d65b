// Package stripe takes payments with Stripe Checkout: the buyer pays on a page of Stripe, and signed
// webhooks report the outcome. The stripe-go library sends the requests; this package decides what to
// ask for and what the answers mean.
//
// The order's id is in the metadata of every object that Stripe creates for it, and in the idempotency
// keys, so that a repeated request has one effect.
package stripe

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"

	"stoa/internal/shop/payment"
)

// DefaultAPI is the address of Stripe's API.
const DefaultAPI = "https://api.stripe.com"

// Config configures a Provider. All fields are required unless they say otherwise.
type Config struct {
	// SecretKey is the account's API key: sk_…, or rk_… with fewer rights.
	SecretKey string
	// WebhookSecret verifies the signatures of webhooks: whsec_….
	WebhookSecret string

	// APIBase is the address of the API; DefaultAPI if empty.
	APIBase string
	// Client sends the requests. If it is nil, New creates one.
	Client *http.Client

	// SuccessURL and CancelURL are where the buyer returns to. OrderPlaceholder in them is replaced by
	// the order's id.
	SuccessURL, CancelURL string

	// Tax lets Stripe compute tax. Invoices makes an invoice of a single payment; subscriptions have them at Stripe in
	// any case.
	Tax      TaxBehavior
	Invoices bool

	// Now is the clock that signatures are compared with; time.Now if nil.
	Now func() time.Time
}

// OrderPlaceholder stands for the order's id in the addresses of Config.
const OrderPlaceholder = "{ORDER_ID}"

// Provider implements payment.Provider.
type Provider struct {
	cfg    Config
	client *stripe.Client
	portal portal
}

var _ payment.Provider = (*Provider)(nil)

// timeout is how long a request may take. Buyers wait for it.
const timeout = 20 * time.Second

// New returns the Provider of a configuration.
func New(cfg Config) (*Provider, error) {
	switch {
	case !strings.HasPrefix(cfg.SecretKey, "sk_") && !strings.HasPrefix(cfg.SecretKey, "rk_"):
		return nil, errors.New("the Stripe secret key must begin with sk_ or rk_")
	case !strings.HasPrefix(cfg.WebhookSecret, "whsec_"):
		return nil, errors.New("the Stripe webhook secret must begin with whsec_: without it payments go unnoticed")
	case cfg.Tax != TaxOff && cfg.Tax != TaxInclusive && cfg.Tax != TaxExclusive:
		return nil, fmt.Errorf("the tax in prices must be %s or %s, not %q", TaxInclusive, TaxExclusive, cfg.Tax)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.APIBase == "" {
		cfg.APIBase = DefaultAPI
	}
	if cfg.Client == nil {
		cfg.Client = &http.Client{Timeout: timeout, Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: timeout / 2, IdleConnTimeout: time.Minute,
		}}
	}
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		HTTPClient:        cfg.Client,
		URL:               stripe.String(strings.TrimSuffix(cfg.APIBase, "/")),
		MaxNetworkRetries: stripe.Int64(2),
		EnableTelemetry:   stripe.Bool(false),
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	return &Provider{cfg: cfg, client: stripe.NewClient(cfg.SecretKey, stripe.WithBackends(backends))}, nil
}

// Name implements payment.Provider.
func (*Provider) Name() string { return "stripe" }

// Mode implements payment.Provider.
func (*Provider) Mode() payment.Mode { return payment.Hosted }

// metadataKey is the metadata key of the order's id on Stripe's objects.
const metadataKey = "orderId"

// explain describes an error of the library. It is payment.ErrRefused if trying again is useless. nil
// stays nil.
func explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*stripe.Error](err)
	if !ok {
		return fmt.Errorf("stripe: %s: %w", doing, err)
	}
	// Not the whole error: it repeats what was sent.
	explained := fmt.Errorf("stripe: %s: %d %s %s: %s (request %s)",
		doing, e.HTTPStatusCode, e.Type, e.Code, e.Msg, e.RequestID)
	if e.Type == stripe.ErrorTypeIdempotency {
		return explained // the first request with this key had other parameters: its outcome stands
	}
	switch e.HTTPStatusCode {
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound:
		return fmt.Errorf("%w: %w", explained, payment.ErrRefused)
	}
	return explained
}

// hasCode reports whether err is an error of Stripe with that code.
func hasCode(err error, code stripe.ErrorCode) bool {
	e, ok := errors.AsType[*stripe.Error](err)
	return ok && e.Code == code
}
