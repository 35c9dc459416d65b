package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa/internal/account/apikey"
	"stoa/internal/api/guard"
	"stoa/internal/testkit"
)

// What it costs to find out who calls: with an API key no more than a fifth above what it costs with an access token,
// whose signature is checked; neither asks the database again.
func BenchmarkGuard(b *testing.B) {
	a := testkit.NewShop(b)
	user := a.Register(b, "ada")
	key := keyFor(b, a, user, apikey.SelfRead)
	admitted := guard.Identify(a.Accounts, func(_ http.ResponseWriter, r *http.Request) error { return guard.CheckSelf(r) })
	for _, by := range []struct{ name, token string }{{"access token", user.Access}, {"API key", key}} {
		b.Run(by.name, func(b *testing.B) {
			req := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/api/marketplace/orders", nil)
			req.Header.Set("Authorization", "Bearer "+by.token)
			for b.Loop() {
				if err := admitted(nil, req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
