package auth_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/internal/api/auth"
	"stoa/internal/api/limit"
	"stoa/internal/edge/ratelimit"
	"stoa/internal/testkit"
)

// Beyond the limit of sign-ins to an account, its owner at a known device does not wait. There is no lane to wait in:
// whoever had to would panic.
func TestAKnownDeviceDoesNotWaitBehindGuesses(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.Register(t, "ada")
	now := time.Now()
	limiter, err := ratelimit.New(ratelimit.Options{
		Rules: limit.Rules(), Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &auth.Handlers{
		Log: slog.New(slog.DiscardHandler), Accounts: a.Accounts, Limits: limit.Counter{Limiter: limiter}, PublicURL: a.URL,
	}
	signIn := func(cookie string) *http.Response {
		t.Helper()
		body := strings.NewReader(`{"email":"ada@example.com","password":"` + testkit.Password + `"}`)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, a.URL+"/auth/login", body)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Refresh-Token", "cookie")
		r.Header.Set("Origin", a.URL)
		if cookie != "" {
			r.Header.Set("Cookie", cookie)
		}
		w := httptest.NewRecorder()
		if err := h.Login(w, r); err != nil {
			t.Fatal(err)
		}
		return w.Result()
	}
	device := ""
	for _, c := range signIn("").Cookies() {
		if c.Name == "stoa-device" {
			device = c.Name + "=" + c.Value
		}
	}
	for range limit.LoginAccount.Limit {
		signIn(device) // the last of them is one beyond the limit
	}
	waits := false
	func() {
		defer func() { waits = recover() != nil }()
		signIn("stoa-device=AAAAAAAAAAAAAAAAAAAAAA")
	}()
	if !waits {
		t.Error("with a cookie that was made up, a sign-in does not wait")
	}
}
