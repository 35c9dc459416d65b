package testkit

import (
	"net/http"
	"net/netip"
	"testing"

	"stoa/internal/app"
)

// Limited turns the rate limits on, behind a proxy whose part the test plays with
// From.
func Limited(_ testing.TB, cfg *app.Config) {
	cfg.RateLimits = true
	cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// From is the header by which the proxy of Limited reports a client's address.
func From(address string) http.Header { return http.Header{"X-Forwarded-For": {address}} }
