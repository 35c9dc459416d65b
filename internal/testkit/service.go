package testkit

import (
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"stoa/internal/app"
)

// How tokens of services are signed (WithServices).
const (
	ServiceIssuer = "https://billing.example.com"
	ServiceSecret = "the-secret-of-the-services-0123456789"
)

// WithServices makes an App accept service tokens.
func WithServices(_ testing.TB, cfg *app.Config) {
	cfg.ServiceIssuer, cfg.ServiceSecret = ServiceIssuer, ServiceSecret
}

// ServiceToken returns a service token with those claims.
func ServiceToken(tb testing.TB, claims jwt.MapClaims) string {
	tb.Helper()
	raw, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(ServiceSecret))
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}
