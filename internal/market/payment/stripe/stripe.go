// Package stripe takes payments with Stripe Checkout: the buyer pays on a page of
// Stripe's, and signed webhooks tell what came of it. The stripe-go library does
// the talking; here is what is asked for and what answers mean.
//
// An order's id is in the metadata of everything that Stripe makes for it, and is
// the key under which Stripe does things once.
package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"

	"stoa/internal/market/payment"
)

// DefaultAPI is where Stripe listens.
const DefaultAPI = "https://api.stripe.com"

// Config is what a Stripe needs. All fields are required unless they say
// otherwise.
type Config struct {
	// SecretKey is the account's API key: sk_… or, with less rights, rk_….
	SecretKey string
	// WebhookSecret is what Stripe signs webhooks with: whsec_….
	WebhookSecret string

	// APIBase is the address of the API; DefaultAPI if empty.
	APIBase string
	// Client sends the requests; one of its own if nil.
	Client *http.Client

	// SuccessURL and CancelURL are where the buyer comes back to. OrderPlaceholder
	// in them stands for the order's id.
	SuccessURL, CancelURL string
}

// OrderPlaceholder stands for the order's id in the addresses of Config.
const OrderPlaceholder = "{ORDER_ID}"

// Stripe implements payment.Provider.
type Stripe struct {
	cfg    Config
	client *stripe.Client
}

var _ payment.Provider = (*Stripe)(nil)

// timeout is how long one request may take. Buyers wait for it.
const timeout = 20 * time.Second

// New returns the Stripe of a configuration.
func New(cfg Config) (*Stripe, error) {
	switch {
	case !strings.HasPrefix(cfg.SecretKey, "sk_") && !strings.HasPrefix(cfg.SecretKey, "rk_"):
		return nil, errors.New("the Stripe secret key must begin with sk_ or rk_")
	case !strings.HasPrefix(cfg.WebhookSecret, "whsec_"):
		return nil, errors.New("the Stripe webhook secret must begin with whsec_: without it no payment would ever be noticed")
	}
	if cfg.APIBase == "" {
		cfg.APIBase = DefaultAPI
	}
	if cfg.Client == nil {
		cfg.Client = &http.Client{Timeout: timeout, Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: timeout / 2, IdleConnTimeout: time.Minute,
		}}
	}
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		HTTPClient: cfg.Client, URL: stripe.String(strings.TrimSuffix(cfg.APIBase, "/")), MaxNetworkRetries: stripe.Int64(2),
		EnableTelemetry: stripe.Bool(false), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	return &Stripe{cfg: cfg, client: stripe.NewClient(cfg.SecretKey, stripe.WithBackends(backends))}, nil
}

// Name implements payment.Provider.
func (*Stripe) Name() string { return "stripe" }

// Mode implements payment.Provider.
func (*Stripe) Mode() payment.Mode { return payment.Hosted }

// metadataKey is under which Stripe's objects keep the id of their order.
const metadataKey = "orderId"

// Begin implements payment.Provider. What is paid for in turns is a subscription
// at Stripe, which then charges the later periods by itself.
func (s *Stripe) Begin(ctx context.Context, c payment.Charge) (payment.Page, error) {
	amount, err := toStripe(c.Minor, c.Exponent, c.Currency)
	if err != nil {
		return payment.Page{}, err
	}
	metadata := map[string]string{metadataKey: c.OrderID}
	price := &stripe.CheckoutSessionCreateLineItemPriceDataParams{
		Currency: stripe.String(strings.ToLower(c.Currency)), UnitAmount: &amount,
		ProductData: &stripe.CheckoutSessionCreateLineItemPriceDataProductDataParams{Name: &c.Name},
	}
	params := &stripe.CheckoutSessionCreateParams{
		Mode:              stripe.String(string(stripe.CheckoutSessionModePayment)),
		ClientReferenceID: &c.OrderID,
		Metadata:          metadata,
		LineItems:         []*stripe.CheckoutSessionCreateLineItemParams{{PriceData: price, Quantity: stripe.Int64(1)}},
		SuccessURL:        stripe.String(strings.ReplaceAll(s.cfg.SuccessURL, OrderPlaceholder, c.OrderID)),
		CancelURL:         stripe.String(strings.ReplaceAll(s.cfg.CancelURL, OrderPlaceholder, c.OrderID)),
	}
	if c.Email != "" {
		params.CustomerEmail = &c.Email
	}
	if c.Months == 0 {
		params.PaymentIntentData = &stripe.CheckoutSessionCreatePaymentIntentDataParams{Metadata: metadata}
	} else {
		params.Mode = stripe.String(string(stripe.CheckoutSessionModeSubscription))
		params.SubscriptionData = &stripe.CheckoutSessionCreateSubscriptionDataParams{Metadata: metadata}
		price.Recurring = recurring(c.Months)
	}
	params.SetIdempotencyKey("stoa-order-" + c.OrderID)
	session, err := s.client.V1CheckoutSessions.Create(ctx, params)
	if err != nil {
		return payment.Page{}, explain("open a checkout page", err)
	}
	return payment.Page{Session: session.ID, URL: session.URL}, nil
}

// recurring returns a payment every so many months. A year is said as one, so
// that it reads well on the page.
func recurring(months int) *stripe.CheckoutSessionCreateLineItemPriceDataRecurringParams {
	interval, count := stripe.PriceRecurringIntervalMonth, months
	if months%12 == 0 {
		interval, count = stripe.PriceRecurringIntervalYear, months/12
	}
	return &stripe.CheckoutSessionCreateLineItemPriceDataRecurringParams{
		Interval: stripe.String(string(interval)), IntervalCount: stripe.Int64(int64(count)),
	}
}

// Cancel implements payment.Provider.
func (s *Stripe) Cancel(ctx context.Context, r payment.Reference) error {
	if r.Session == "" {
		return nil
	}
	_, err := s.client.V1CheckoutSessions.Expire(ctx, r.Session, nil)
	if err = explain("close a checkout page", err); !errors.Is(err, payment.ErrRefused) {
		return err
	}
	// It is no longer open. Only one that was completed is in the way.
	session, getErr := s.client.V1CheckoutSessions.Retrieve(ctx, r.Session, nil)
	switch {
	case hasCode(getErr, stripe.ErrorCodeResourceMissing): // it was another account's, or of test mode
		return nil
	case getErr != nil:
		return explain("look at a checkout page", getErr)
	case session.Status == stripe.CheckoutSessionStatusComplete:
		return err
	}
	return nil
}

// explain tells what failed, and whether trying again is useless: then it is
// payment.ErrRefused. nil stays nil.
func explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*stripe.Error](err)
	if !ok {
		return fmt.Errorf("stripe: %s: %w", doing, err)
	}
	// Not the whole error: it repeats what was sent.
	told := fmt.Errorf("stripe: %s: %d %s %s: %s (request %s)", doing, e.HTTPStatusCode, e.Type, e.Code, e.Msg, e.RequestID)
	if e.Type == stripe.ErrorTypeIdempotency {
		return told // the first request with this key said it otherwise: its outcome stands
	}
	switch e.HTTPStatusCode {
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound:
		return fmt.Errorf("%w: %w", told, payment.ErrRefused)
	}
	return told
}

func hasCode(err error, code stripe.ErrorCode) bool {
	e, ok := errors.AsType[*stripe.Error](err)
	return ok && e.Code == code
}
