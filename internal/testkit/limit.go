package testkit

import (
	"net/http"
	"net/netip"
	"testing"

	"stoa/internal/app"
)

// Limited turns on the rate limits. The test acts as the trusted proxy with From.
func Limited(_ testing.TB, cfg *app.Config) {
	cfg.RateLimits = true
	cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// From returns the header in which the proxy of Limited reports a client's address.
func From(address string) http.Header { return http.Header{"X-Forwarded-For": {address}} }
