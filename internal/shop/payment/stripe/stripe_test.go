package stripe_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/shop/payment"
	"stoa/internal/shop/payment/stripe"
	"stoa/internal/testkit/stripetest"
)

// account returns a Provider and the server that answers it.
func account(tb testing.TB, options ...func(*stripe.Config)) (*stripe.Provider, *stripetest.Server) {
	tb.Helper()
	srv := stripetest.New(tb)
	cfg := stripe.Config{
		SecretKey: stripetest.SecretKey, WebhookSecret: stripetest.WebhookSecret, APIBase: srv.URL + "/",
		SuccessURL: "https://shop.example/paid?order={ORDER_ID}",
		CancelURL:  "https://shop.example/back?order={ORDER_ID}",
		Client:     &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	}
	for _, option := range options {
		option(&cfg)
	}
	s, err := stripe.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return s, srv
}

// failure is an answer of Stripe with an error of that code.
func failure(status int, code string) *stripetest.Answer {
	return &stripetest.Answer{Status: status, Body: object{
		"error": object{"type": "invalid_request_error", "code": code, "message": "No."},
	}}
}

func oneRequest(tb testing.TB, srv *stripetest.Server, path string) stripetest.Request {
	tb.Helper()
	got := srv.Requests(path)
	if len(got) != 1 {
		tb.Fatalf("%d requests to %s, want one", len(got), path)
	}
	return got[0]
}

func wantForm(tb testing.TB, got stripetest.Request, want map[string]string) {
	tb.Helper()
	for name, value := range want {
		if v := got.Form.Get(name); v != value {
			tb.Errorf("%s = %q, want %q", name, v, value)
		}
	}
	if len(got.Form) != len(want) {
		tb.Errorf("%d parameters, want %d: %v", len(got.Form), len(want), got.Form)
	}
}

// stripe-mock refuses parameters that Stripe does not know.
func TestBeginOpensACheckoutPage(t *testing.T) {
	t.Parallel()

	const sessions, url = "/v1/checkout/sessions", "https://checkout.stripe.com/c/pay/cs_1"
	common := map[string]string{
		"client_reference_id": "order1", "metadata[orderId]": "order1", "line_items[0][quantity]": "1",
		"line_items[0][price_data][product_data][name]": "Mail Pack – Pro",
		"success_url": "https://shop.example/paid?order=order1", "cancel_url": "https://shop.example/back?order=order1",
	}
	tests := []struct {
		name   string
		charge payment.Charge
		want   map[string]string
	}{
		{"once", payment.Charge{Minor: 2990, Exponent: 2, Currency: "EUR", Email: "ada@example.com"}, map[string]string{
			"mode": "payment", "customer_creation": "always", "payment_intent_data[metadata][orderId]": "order1", "customer_email": "ada@example.com",
			"line_items[0][price_data][currency]": "eur", "line_items[0][price_data][unit_amount]": "2990",
		}},
		{"monthly", payment.Charge{Minor: 5, Exponent: 0, Currency: "ISK", Months: 1}, map[string]string{
			"mode": "subscription", "subscription_data[metadata][orderId]": "order1",
			"line_items[0][price_data][recurring][interval]":       "month",
			"line_items[0][price_data][recurring][interval_count]": "1",
			"line_items[0][price_data][currency]":                  "isk",
			"line_items[0][price_data][unit_amount]":               "500",
		}},
		{"yearly", payment.Charge{Minor: 5120, Exponent: 3, Currency: "KWD", Months: 12}, map[string]string{
			"mode": "subscription", "subscription_data[metadata][orderId]": "order1",
			"line_items[0][price_data][recurring][interval]":       "year",
			"line_items[0][price_data][recurring][interval_count]": "1",
			"line_items[0][price_data][currency]":                  "kwd",
			"line_items[0][price_data][unit_amount]":               "5120",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, srv := account(t)
			srv.Answer(func(r stripetest.Request) *stripetest.Answer {
				return &stripetest.Answer{Body: object{"id": "cs_1", "url": url}}
			})
			tt.charge.OrderID, tt.charge.Name = "order1", "Mail Pack – Pro"
			page, err := s.Begin(t.Context(), tt.charge)
			if want := (payment.Checkout{Session: "cs_1", URL: url}); err != nil || page != want {
				t.Fatalf("Begin = %+v, %v; want %+v", page, err, want)
			}
			for name, value := range common {
				tt.want[name] = value
			}
			got := oneRequest(t, srv, sessions)
			wantForm(t, got, tt.want)
			if got.IdempotencyKey != "stoa-order-order1" {
				t.Errorf("Idempotency-Key = %q: a second call would be a second page", got.IdempotencyKey)
			}
		})
	}
}

func TestBeginTellsRefusalsFromOutages(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name    string
		charge  payment.Charge
		status  int
		refused bool
	}{
		{"an inexact amount", payment.Charge{Minor: 5124, Exponent: 3, Currency: "KWD"}, 200, true},
		{"too small an amount", payment.Charge{Minor: 1, Exponent: 2, Currency: "EUR"}, 400, true},
		{"other parameters than the first time", payment.Charge{Minor: 100, Exponent: 2, Currency: "EUR"}, 400, false},
		{"a wrong API key", payment.Charge{Minor: 100, Exponent: 2, Currency: "EUR"}, 401, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, srv := account(t)
			kind := "invalid_request_error"
			if tt.name == "other parameters than the first time" { // the product was renamed
				kind = "idempotency_error"
			}
			srv.Answer(func(stripetest.Request) *stripetest.Answer {
				body := object{"error": object{"type": kind, "message": "No."}}
				return &stripetest.Answer{Status: tt.status, Body: body}
			})
			tt.charge.OrderID, tt.charge.Name = "order1", "Mail Pack"
			_, err := s.Begin(t.Context(), tt.charge)
			if err == nil || errors.Is(err, payment.ErrRefused) != tt.refused {
				t.Errorf("Begin = %v; want it refused: %v", err, tt.refused)
			}
			if strings.Contains(err.Error(), stripetest.SecretKey) {
				t.Errorf("the error holds the key: %v", err)
			}
		})
	}
}

func TestCancelClosesThePage(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name, status string // of the page, "" while it is open
		want         error
	}{
		{"open", "", nil},
		{"expired", "expired", nil},
		{"paid", "complete", payment.ErrRefused},
		{"of another account", "none", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, srv := account(t)
			srv.Answer(func(r stripetest.Request) *stripetest.Answer {
				switch {
				case tt.status == "":
					return nil
				case tt.status == "none":
					return failure(http.StatusNotFound, "resource_missing")
				case strings.HasSuffix(r.Path, "/expire"):
					return failure(http.StatusBadRequest, "")
				}
				return &stripetest.Answer{Body: object{"id": "cs_1", "status": tt.status}}
			})
			if err := s.Cancel(t.Context(), payment.Reference{Session: "cs_1"}); !errors.Is(err, tt.want) {
				t.Errorf("Cancel = %v, want %v", err, tt.want)
			}
			oneRequest(t, srv, "/v1/checkout/sessions/cs_1/expire")
		})
	}
	s, _ := account(t)
	if err := s.Cancel(t.Context(), payment.Reference{}); err != nil {
		t.Errorf("without a page, Cancel = %v", err)
	}
}

func TestNewRefusesBadKeys(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		key, secret string
		ok          bool
	}{
		{"sk_live_1", "whsec_1", true},
		{"rk_live_1", "whsec_1", true},
		{"pk_live_1", "whsec_1", false}, // publishable
		{"", "whsec_1", false},
		{"sk_live_1", "", false},
		{"sk_live_1", "sk_live_1", false},
	} {
		if _, err := stripe.New(stripe.Config{SecretKey: tt.key, WebhookSecret: tt.secret}); (err == nil) != tt.ok {
			t.Errorf("New(%q, %q) = %v", tt.key, tt.secret, err)
		}
	}
}
