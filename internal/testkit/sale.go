package testkit

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit/stripetest"
)

// StripeWebhook is the path at which Stripe delivers events.
const StripeWebhook = "/api/marketplace/payments/stripe/webhook"

// NewStripeShop starts an App with Catalog that takes live payments with a test Stripe,
// which opens a payment page for every order.
func NewStripeShop(tb testing.TB, options ...Option) (*App, *stripetest.Server) {
	tb.Helper()
	srv := stripetest.New(tb)
	srv.Answer(StripePages)
	return NewShop(tb, append(options, PaidWith(srv))...), srv
}

// PaidWith is an Option for an App whose payments a Stripe takes.
func PaidWith(srv *stripetest.Server) Option {
	return func(_ testing.TB, cfg *app.Config) {
		cfg.Payments = "live"
		cfg.Stripe = app.StripeConfig{
			SecretKey: stripetest.SecretKey, WebhookSecret: stripetest.WebhookSecret, APIBase: srv.URL,
		}
	}
}

// StripePages answers as Stripe does when a payment page is opened. The mock answers all
// other requests.
func StripePages(r stripetest.Request) *stripetest.Answer {
	if r.Path != "/v1/checkout/sessions" {
		return nil
	}
	id := "cs_" + r.Form.Get("client_reference_id")
	return &stripetest.Answer{Body: map[string]any{"id": id, "url": "https://checkout.stripe.com/c/pay/" + id}}
}

// Deliver delivers an event as Stripe does, and returns the answer.
func (a *App) Deliver(tb testing.TB, event []byte) Response {
	tb.Helper()
	return a.Do(tb, Request{
		Method: http.MethodPost, Path: StripeWebhook, Body: string(event),
		Header: http.Header{"Stripe-Signature": {stripetest.Sign(event, stripetest.WebhookSecret, time.Now())}},
	})
}

// MustDeliver delivers events as Stripe does. They must be accepted.
func (a *App) MustDeliver(tb testing.TB, event []byte) {
	tb.Helper()
	if res := a.Deliver(tb, event); res.Status != http.StatusOK {
		tb.Fatalf("webhook = %d %s", res.Status, res.Body)
	}
}

// SweepOrders sweeps unfinished orders, and returns the log.
func (a *App) SweepOrders(tb testing.TB) string {
	tb.Helper()
	var out bytes.Buffer
	if err := a.Orders.Sweep(tb.Context(), slog.New(slog.NewTextHandler(&out, nil))); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

// Sale is a purchase that waits for its payment. Its methods return Stripe's events and
// answers about it.
type Sale struct {
	OrderID, Key, URL string
}

// Sell purchases a tier of mail-pack as a guest, in a shop whose payments wait
// for webhooks.
func (a *App) Sell(tb testing.TB, tier string) Sale {
	tb.Helper()
	res := a.Buy(tb, "", tier)
	return Sale{res.Text(tb, "orderId"), res.Text(tb, "licenseKey"), res.Text(tb, "paymentUrl")}
}

// Session is an event of the payment page of a sale of the tier once.
func (s Sale) Session(id, kind, status string) []byte {
	at := T0.Add(time.Minute)
	if kind == "checkout.session.async_payment_succeeded" {
		at = at.Add(time.Hour)
	}
	return stripetest.Event(id+s.OrderID, kind, at, map[string]any{
		"id": "cs_" + s.OrderID, "metadata": map[string]any{"orderId": s.OrderID}, "payment_status": status,
		"amount_total": 4990, "currency": "eur", "payment_intent": "pi_" + s.OrderID,
	})
}

// Paid is the event of a payment of the tier once.
func (s Sale) Paid() []byte { return s.Session("evt_paid_", "checkout.session.completed", "paid") }

// Expired is the event of an expired page of the tier once.
func (s Sale) Expired() []byte { return s.Session("evt_exp_", "checkout.session.expired", "unpaid") }

// Charge is the event of a partial refund of the tier once, in cents.
func (s Sale) Charge(id string, refunded int) []byte {
	return stripetest.Event(id+s.OrderID, "charge.refunded", T0.Add(time.Hour), map[string]any{
		"id": "ch_" + s.OrderID, "metadata": map[string]any{"orderId": s.OrderID}, "payment_intent": "pi_" + s.OrderID,
		"amount": 4990, "amount_refunded": refunded, "refunded": refunded == 4990, "currency": "eur",
	})
}

// Refunded is the event of a refund of the tier once.
func (s Sale) Refunded() []byte { return s.Charge("evt_refund_", 4990) }

// Bounced is the event of a failed refund.
func (s Sale) Bounced(metadata map[string]any) []byte {
	return stripetest.Event("evt_bounce"+fmt.Sprint(len(metadata)), "refund.failed", T0.Add(24*time.Hour),
		map[string]any{
			"id": "re_1", "status": "failed", "failure_reason": "lost_or_stolen_card",
			"metadata": metadata, "payment_intent": "pi_" + s.OrderID,
		})
}

// Page answers as Stripe does about a page with that status, which can no longer be
// closed.
func (s Sale) Page(status, paid string, more map[string]any) func(stripetest.Request) *stripetest.Answer {
	return func(r stripetest.Request) *stripetest.Answer {
		page := "/v1/checkout/sessions/cs_" + s.OrderID
		switch r.Path {
		case page:
			body := map[string]any{
				"id": "cs_" + s.OrderID, "object": "checkout.session", "metadata": map[string]any{"orderId": s.OrderID},
				"status": status, "payment_status": paid, "amount_total": 4990, "currency": "eur",
				"payment_intent": map[string]any{"id": "pi_" + s.OrderID, "object": "payment_intent"},
			}
			maps.Copy(body, more)
			return &stripetest.Answer{Body: body}
		case page + "/expire":
			return &stripetest.Answer{Status: http.StatusBadRequest, Body: map[string]any{
				"error": map[string]any{"type": "invalid_request_error", "message": "No."},
			}}
		}
		return StripePages(r)
	}
}
