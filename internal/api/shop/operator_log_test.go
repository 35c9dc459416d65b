package shop_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
)

// At the default level the log shows sales, refunds and failed sign-ins, without
// e-mail addresses and keys; the metrics count them.
func TestTheLogShowsSalesRefundsAndFailedSignIns(t *testing.T) {
	t.Parallel()

	var log logtest.Buffer
	a := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.Log = log.Logger() })
	admin := a.Admin(t, "root").Access
	bought := a.Order(t, "", "once", "ada@example.com")
	key := bought.Text(t, "licenseKey")
	a.Activate(t, key, "a.example")
	a.Verify(t, "mail-pack", key, "a.example")
	a.Verify(t, "mail-pack", key, "b.example")
	for range 2 { // the second changes nothing
		a.Refund(t, admin, bought.Text(t, "orderId"))
	}
	a.Activate(t, key, "c.example")
	a.Send(t, "/auth/login", map[string]string{"email": "root@example.com", "password": "wrong"})

	text := log.String()
	for _, want := range []string{
		`level=INFO msg="order paid" order=` + bought.Text(t, "orderId") + " product=mail-pack tier=once",
		`level=INFO msg="order refunded" order=` + bought.Text(t, "orderId"),
		`level=INFO msg="sign-in failed" address=127.0.0.1`,
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("the log has %q %d times, want once", want, strings.Count(text, want))
		}
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "ada@example.com") || strings.Contains(line, key) ||
			strings.Contains(line, "sign-in failed") && strings.Contains(line, "root@") {
			t.Errorf("a line with a secret or an address: %s", line)
		}
	}

	rec := httptest.NewRecorder()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:8081/metrics", nil)
	a.OpsHandler().ServeHTTP(rec, req)
	for _, want := range []string{
		`stoa_orders_total{outcome="paid"} 1`, `stoa_orders_total{outcome="refunded"} 1`,
		`stoa_activations_total{outcome="activated"} 1`, `stoa_activations_total{outcome="refused"} 1`,
		`stoa_verifies_total{outcome="valid"} 1`, `stoa_verifies_total{outcome="not_activated"} 1`,
		`go_sql_open_connections{db_name="write"}`, `stoa_plugin_processes 0`,
	} {
		if !strings.Contains(rec.Body.String(), want) {
			t.Errorf("the metrics lack %q", want)
		}
	}
}
