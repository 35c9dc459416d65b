package ops_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa/internal/operate/ops"
)

func TestOpsListenerIsSafeFromDNSRebinding(t *testing.T) {
	t.Parallel()

	const token = "0123456789abcdef"
	tests := []struct {
		name, token, host, authorization string
		want                             int
	}{
		{"a loopback name", "", "localhost:8081", "", http.StatusOK},
		{"a loopback address", "", "127.0.0.1:8081", "", http.StatusOK},
		{"the attacker's name", "", "attacker.example:8081", "", http.StatusMisdirectedRequest},
		{"the attacker's name, with a made-up token", "", "attacker.example:8081", "Bearer x", http.StatusMisdirectedRequest},
		{"an address of the machine", "", "192.168.1.5:8081", "", http.StatusMisdirectedRequest},
		{"no host", "", "", "", http.StatusMisdirectedRequest},
		{"the token, under any name", token, "stoa-7f9c.internal:8081", "Bearer " + token, http.StatusOK},
		{
			"the token where one is due, in another case of the scheme", token, "localhost:8081", "bearer " + token,
			http.StatusOK,
		},
		{"no token where one is due", token, "localhost:8081", "", http.StatusUnauthorized},
		{"another token", token, "localhost:8081", "Bearer " + token + "x", http.StatusUnauthorized},
		{"another scheme", token, "localhost:8081", "Basic " + token, http.StatusUnauthorized},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			served := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/debug/pprof/cmdline", nil)
			r.Host = tt.host
			if tt.authorization != "" {
				r.Header.Set("Authorization", tt.authorization)
			}
			rec := httptest.NewRecorder()
			ops.Protect(tt.token, served).ServeHTTP(rec, r)
			if rec.Code != tt.want {
				t.Errorf("status = %d, want %d", rec.Code, tt.want)
			}
		})
	}
}
