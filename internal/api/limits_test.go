package httpapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/api/limit"
	"stoa/internal/app"
	"stoa/internal/base/permission"
	"stoa/internal/testkit"
	"stoa/internal/testkit/redistest"
)

// registered registers a user from an address of its own.
func registered(t *testing.T, a *testkit.App) testkit.Response {
	t.Helper()
	return a.Do(t, testkit.Request{
		Method: "POST", Path: "/auth/register", Header: testkit.From("198.51.100.1"),
		Body: map[string]string{"email": "u@example.com", "username": "user", "password": "correct horse"},
	})
}

// badLogin is a request that is counted and does no work.
func badLogin(address string) testkit.Request {
	return testkit.Request{Method: "POST", Path: "/auth/login", Header: testkit.From(address), Body: "nonsense"}
}

// The table of contract 1.7, to the letter.
func TestTheLimitsAreTheDocumentedOnes(t *testing.T) {
	t.Parallel()

	want := map[string]string{
		"register": "5 in 1h0m0s", "login": "10 in 1m0s", "refresh": "60 in 1h0m0s",
		"me": "100 in 1m0s", "change-password": "5 in 1h0m0s",
		// Our own.
		"login-account":   "30 in 10m0s", // beyond it slowed, not refused
		"refresh-unknown": "60 in 1h0m0s",
		"forgot-password": "10 in 1h0m0s", "reset-password": "10 in 1m0s", "setup": "10 in 1m0s",
		"reauthenticate": "10 in 1m0s", "factors": "20 in 1h0m0s", "sign-up": "5 in 1h0m0s",
		"email-sign-in": "5 in 1h0m0s", "mail-token": "10 in 1m0s", "export": "1 in 24h0m0s", "invitation": "30 in 1h0m0s",
		"second-factor": "10 in 1m0s", "passkey": "10 in 1m0s", "passkey-options": "30 in 1m0s", "oidc": "20 in 1m0s",
		"purchase": "600 in 1m0s",
		"discount": "20 in 1m0s",
		"trial":    "20 in 1h0m0s",

		"market-package": "60 in 1m0s",
		"handoff":        "20 in 1m0s", "handoff-secret": "20 in 1m0s", "market-trial": "20 in 1m0s",
		"platform":      "600 in 1m0s",
		"api-key":       "600 in 1m0s",
		"claim-request": "10 in 1h0m0s", "claim": "10 in 1m0s", "claim-link": "10 in 1m0s",
	}
	for _, r := range limit.Rules() {
		if got := fmt.Sprintf("%d in %s", r.Limit, r.Window); got != want[r.Name] {
			t.Errorf("%s = %s, want %s", r.Name, got, want[r.Name])
		}
		delete(want, r.Name)
	}
	if len(want) > 0 {
		t.Errorf("no limit for %v", want)
	}
}

var limitedRoutes = []struct {
	name   string
	limit  int
	refill time.Duration
	// request returns the i-th request.
	request func(t *testing.T, a *testkit.App) func(i int) testkit.Request
}{
	{"register", 5, 12 * time.Minute, func(*testing.T, *testkit.App) func(int) testkit.Request {
		return func(i int) testkit.Request {
			return testkit.Request{
				Method: "POST", Path: "/auth/register", Header: testkit.From("203.0.113.9"),
				Body: map[string]string{
					"email": fmt.Sprintf("u%d@example.com", i), "username": fmt.Sprintf("user%d", i),
					"password": "correct horse",
				},
			}
		}
	}},
	{"register with bad bodies", 5, 12 * time.Minute, func(*testing.T, *testkit.App) func(int) testkit.Request {
		return func(int) testkit.Request {
			return testkit.Request{
				Method: "POST", Path: "/auth/register", Header: testkit.From("203.0.113.9"), Body: "nonsense",
			}
		}
	}},
	{"login", 10, 6 * time.Second, func(*testing.T, *testkit.App) func(int) testkit.Request {
		return func(int) testkit.Request {
			return testkit.Request{
				Method: "POST", Path: "/auth/login", Header: testkit.From("203.0.113.9"),
				Body: map[string]string{"email": "no@example.com", "password": "wrong horse"},
			}
		}
	}},
	{"forgot-password", 10, 6 * time.Minute, func(*testing.T, *testkit.App) func(int) testkit.Request {
		return func(i int) testkit.Request {
			return testkit.Request{
				Method: "POST", Path: "/auth/forgot-password", Header: testkit.From("203.0.113.9"),
				Body: map[string]string{"email": fmt.Sprintf("u%d@example.com", i)},
			}
		}
	}},
	{"reset-password", 10, 6 * time.Second, func(*testing.T, *testkit.App) func(int) testkit.Request {
		return func(int) testkit.Request {
			return testkit.Request{
				Method: "POST", Path: "/auth/reset-password", Header: testkit.From("203.0.113.9"),
				Body: map[string]string{"token": "made up", "newPassword": "another horse"},
			}
		}
	}},
	{"second-factor", 10, 6 * time.Second, func(*testing.T, *testkit.App) func(int) testkit.Request {
		return func(int) testkit.Request {
			return testkit.Request{
				Method: "POST", Path: "/auth/login/second-factor", Header: testkit.From("203.0.113.9"),
				Body: map[string]string{"challenge": "made up", "method": "totp", "code": "123456"},
			}
		}
	}},
	{"passkey", 10, 6 * time.Second, func(*testing.T, *testkit.App) func(int) testkit.Request {
		return func(int) testkit.Request {
			return testkit.Request{
				Method: "POST", Path: "/auth/login/passkey", Header: testkit.From("203.0.113.9"),
				Body: map[string]any{"credential": map[string]any{}},
			}
		}
	}},
	{"passkey-options", 30, 2 * time.Second, func(*testing.T, *testkit.App) func(int) testkit.Request {
		return func(int) testkit.Request {
			return testkit.Request{Method: "POST", Path: "/auth/login/passkey/options", Header: testkit.From("203.0.113.9")}
		}
	}},
	{"setup", 10, 6 * time.Second, func(*testing.T, *testkit.App) func(int) testkit.Request {
		return func(int) testkit.Request {
			return testkit.Request{
				Method: "POST", Path: "/auth/setup", Header: testkit.From("203.0.113.9"), Body: "nonsense",
			}
		}
	}},
	{"me", 100, 600 * time.Millisecond, func(t *testing.T, a *testkit.App) func(int) testkit.Request {
		t.Helper()
		token := registered(t, a).Text(t, "data.access_token")
		return func(i int) testkit.Request {
			return testkit.Request{
				Method: "GET", Path: "/auth/me", Token: token, Header: testkit.From(fmt.Sprintf("203.0.113.%d", i)),
			}
		}
	}},
	{"change-password", 5, 12 * time.Minute, func(t *testing.T, a *testkit.App) func(int) testkit.Request {
		t.Helper()
		token := registered(t, a).Text(t, "data.access_token")
		return func(i int) testkit.Request {
			return testkit.Request{
				Method: "POST", Path: "/auth/change-password",
				Token: token, Header: testkit.From(fmt.Sprintf("203.0.113.%d", i)),
				Body: map[string]string{"currentPassword": "wrong horse", "newPassword": "another horse"},
			}
		}
	}},
	{"refresh of a token that does not verify", 60, time.Minute, func(*testing.T,
		*testkit.App,
	) func(int) testkit.Request {
		return func(i int) testkit.Request {
			return testkit.Request{
				Method: "POST", Path: "/auth/refresh",
				Header: testkit.From(fmt.Sprintf("203.0.113.%d", i)),
				Body:   map[string]string{"refresh_token": "made up"},
			}
		}
	}},
}

// Each limited route answers as often as its limit allows and not once more,
// refuses in the documented form, and answers again when it says so.
func TestLimitedRoutesStopAtTheirLimit(t *testing.T) {
	t.Parallel()

	for _, tt := range limitedRoutes {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			a := testkit.New(t, testkit.Limited)
			next := tt.request(t, a)
			for i := range tt.limit {
				if res := a.Do(t, next(i)); res.Status == http.StatusTooManyRequests {
					t.Fatalf("request %d = 429, want %d to pass", i+1, tt.limit)
				}
			}
			res := a.Do(t, next(tt.limit))
			wait := max(1, int((tt.refill+time.Second-1)/time.Second))
			if res.Status != http.StatusTooManyRequests || res.Text(t, "error.code") != "RATE_LIMIT_EXCEEDED" {
				t.Fatalf("request %d = %d %s, want 429", tt.limit+1, res.Status, res.Body)
			}
			if got := res.Get(t, "error.retryAfter"); got != float64(wait) ||
				res.Header.Get("Retry-After") != fmt.Sprint(wait) {
				t.Errorf("retryAfter = %v, Retry-After = %s; want %d", got, res.Header.Get("Retry-After"), wait)
			}
			a.Clock.Advance(tt.refill)
			if res := a.Do(t, next(tt.limit+1)); res.Status == http.StatusTooManyRequests {
				t.Error("still 429 after the limit has refilled by one")
			}
		})
	}
}

// A rotated token stays in its session, and so does its limit.
func TestRefreshIsLimitedBySessionHoweverOftenTheTokenRotates(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, testkit.Limited)
	token := registered(t, a).Text(t, "data.refresh_token")
	for i := range 61 {
		res := a.Do(t, testkit.Request{
			Method: "POST", Path: "/auth/refresh",
			Header: testkit.From(fmt.Sprintf("203.0.113.%d", i)), Body: map[string]string{"refresh_token": token},
		})
		if want := map[bool]int{true: 200, false: 429}[i < 60]; res.Status != want {
			t.Fatalf("refresh %d = %d, want %d", i+1, res.Status, want)
		}
		if next := res.Text(t, "data.refresh_token"); next != "" {
			token = next
		}
	}
	// The refusal did not use up the token: the session goes on.
	a.Clock.Advance(time.Minute)
	if res := a.Send(t, "/auth/refresh", map[string]string{"refresh_token": token}); res.Status != 200 {
		t.Errorf("refresh a minute later = %d, want 200", res.Status)
	}
}

func TestNoSpellingOfAPathEscapesALimit(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, testkit.Limited)
	for range 10 {
		a.Do(t, badLogin("203.0.113.9"))
	}
	for _, path := range []string{
		"/auth/login", "/auth/%6cogin", "/%61uth/login",
		"/auth/login?x=1", "//auth/login", "/auth//login", "/auth/./login",
		"/x/../auth/login", "/auth/login/", "/auth/LOGIN",
		"/auth/login;x", "/auth%2Flogin", "/auth/login%20", "/auth/login%00",
	} {
		req := badLogin("203.0.113.9")
		req.Path = path
		// Allowed answers are the limit, and that there is no such address or
		// method.
		if res := a.DoUnchecked(t, req); res.Status != 429 && res.Status != 404 && res.Status != 405 {
			t.Errorf("POST %s = %d %s", path, res.Status, res.Body)
		}
	}
}

func TestLimitCountsTheClientAndNotWhatItClaims(t *testing.T) {
	t.Parallel()

	t.Run("IPv6 by /64", func(t *testing.T) {
		t.Parallel()

		a := testkit.New(t, testkit.Limited)
		for i := range 11 {
			res := a.Do(t, badLogin(fmt.Sprintf("2001:db8:1:2::%x", i)))
			if refused := res.Status == 429; refused != (i == 10) {
				t.Fatalf("request %d = %d", i+1, res.Status)
			}
		}
		if res := a.Do(t, badLogin("2001:db8:1:3::1")); res.Status == 429 {
			t.Error("another /64 is refused")
		}
	})
	t.Run("X-Forwarded-For of an untrusted peer", func(t *testing.T) {
		t.Parallel()

		a := testkit.New(t, testkit.Limited, func(_ testing.TB, cfg *app.Config) { cfg.TrustedProxies = nil })
		for i := range 11 {
			res := a.Do(t, badLogin(fmt.Sprintf("203.0.113.%d", i)))
			if refused := res.Status == 429; refused != (i == 10) {
				t.Fatalf("request %d = %d", i+1, res.Status)
			}
		}
	})
}

func TestParallelRequestsNeverPassALimitTogether(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, testkit.Limited)
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		passed int
	)
	for range 40 {
		wg.Go(func() {
			if a.Do(t, badLogin("203.0.113.9")).Status != 429 {
				mu.Lock()
				passed++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if passed != 10 {
		t.Errorf("%d of 40 passed, want 10", passed)
	}
}

// Two replicas with one Redis have one limit; when Redis is gone each has its own.
func TestReplicasShareTheirLimitsInRedis(t *testing.T) {
	t.Parallel()

	srv := redistest.New(t)
	shared := func(_ testing.TB, cfg *app.Config) {
		cfg.RedisURL, cfg.RedisTimeout = srv.URL, 30*time.Second // more than a busy machine takes
	}
	one, two := testkit.New(t, testkit.Limited, shared), testkit.New(t, testkit.Limited, shared)
	// Redis counts in real time: registrations refill only long after the test.
	bad := testkit.Request{
		Method: "POST", Path: "/auth/register", Header: testkit.From("203.0.113.9"), Body: "nonsense",
	}
	for i := range 5 {
		if res := []*testkit.App{one, two}[i%2].Do(t, bad); res.Status == 429 {
			t.Fatalf("request %d = 429", i+1)
		}
	}
	if a, b := one.Do(t, bad).Status, two.Do(t, bad).Status; a != 429 || b != 429 {
		t.Errorf("the sixth request = %d and %d, want 429 on both", a, b)
	}
	srv.Stop()
	if res := one.Do(t, bad); res.Status == 429 {
		t.Error("without Redis the replica does not count for itself")
	}
}

func TestARedisURLThatCannotBeReadIsRefusedWithoutShowingItsPassword(t *testing.T) {
	t.Parallel()

	cfg := testkit.Config(t, testkit.Limited)
	cfg.RedisURL = "redis://:hunter2@bad host"
	a, err := app.New(t.Context(), cfg)
	if err == nil {
		t.Fatal(errors.Join(errors.New("app.New accepted it"), a.Close(t.Context())))
	}
	if !strings.Contains(err.Error(), "Redis URL") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("app.New = %v", err)
	}
}

// Guessing tokens, and having mails sent, are limited by user.
func TestClaimsAreLimited(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, testkit.Limited)
	ada := registered(t, a).Text(t, "data.access_token")
	for path, refill := range map[string]string{"/claim": "6", "/claim-request": "360"} {
		var last testkit.Response
		for range 11 {
			if last.Status == http.StatusTooManyRequests {
				t.Fatalf("%s is limited too early", path)
			}
			last = a.Do(t, testkit.Post(ada, "/api/marketplace/orders"+path, `{"token":"wrong"}`))
		}
		testkit.WantFlatError(t, last, http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
		if got := last.Header.Get("Retry-After"); got != refill {
			t.Errorf("%s: Retry-After = %s, want %s", path, got, refill)
		}
	}
}

// Each purchase leaves an order behind, so their number is limited.
func TestPurchasesAreLimited(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t, testkit.Limited)
	user := registered(t, a).Text(t, "data.access_token")
	for who, next := range map[string]func(i int) testkit.Request{
		"guest": func(int) testkit.Request { return testkit.Request{Header: testkit.From("203.0.113.9")} },
		"user": func(i int) testkit.Request {
			return testkit.Request{Header: testkit.From(fmt.Sprintf("203.0.113.%d", 10+i%200)), Token: user}
		},
	} {
		ask := func(i int) testkit.Response {
			r := next(i)
			r.Method, r.Path, r.Body = http.MethodPost, testkit.Products+"/mail-pack/purchase", "nonsense"
			return a.Do(t, r)
		}
		for i := range 600 {
			if res := ask(i); res.Status != http.StatusBadRequest ||
				res.Header.Get("RateLimit-Policy") != `"purchase";q=600;w=60` {
				t.Fatalf("%s: request %d = %d %q", who, i+1, res.Status, res.Header.Get("RateLimit-Policy"))
			}
		}
		res := ask(600)
		testkit.WantFlatError(t, res, http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
		if got := res.Header.Get("Retry-After"); got != "1" {
			t.Errorf("%s: Retry-After = %q, want 1", who, got)
		}
	}
	other := testkit.Purchase("", "once")
	other.Header = testkit.From("203.0.113.10")
	if res := a.Do(t, other); res.Status != http.StatusOK {
		t.Errorf("another address = %d %s", res.Status, res.Body)
	}
}

// A link's token cannot be guessed at any speed: ten tries in a minute, then none.
func TestClaimLinkStopsAtItsLimit(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, testkit.Limited)
	try := testkit.Request{
		Method: "POST", Path: "/api/marketplace/orders/claim-link",
		Header: testkit.From("203.0.113.9"), Body: map[string]string{"token": "made up"},
	}
	for i := range 10 {
		if res := a.Do(t, try); res.Status != http.StatusBadRequest {
			t.Fatalf("request %d = %d %s, want 400", i+1, res.Status, res.Body)
		}
	}
	res := a.Do(t, try)
	testkit.WantFlatError(t, res, http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
	if got := res.Header.Get("Retry-After"); got != "6" {
		t.Errorf("Retry-After = %s, want 6", got)
	}
	a.Clock.Advance(6 * time.Second)
	if res := a.Do(t, try); res.Status != http.StatusBadRequest {
		t.Errorf("after the limit has refilled by one = %d, want 400", res.Status)
	}
}

// Refused calls count as others do, wherever a key is read: whoever tries one out is slowed.
func TestEveryCallWithAKeyCounts(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t, testkit.Limited)
	key := keyFor(t, a, a.Admin(t, "root"), permission.ReadOrders)
	left := 600
	for _, call := range []testkit.Request{
		testkit.Get("", "/auth/me"), testkit.Get("", "/auth/sessions"), testkit.Post("", "/auth/logout", nil),
		testkit.Post("", "/auth/change-password", nil), testkit.Get("", "/api/marketplace/orders"),
		testkit.Get("", "/api/v1/admin/orders"), testkit.Get("", "/api/v1/admin/users"), testkit.Get("", "/api/v1/admin/roles"),
	} {
		call.Token = key
		left--
		res := a.Do(t, call)
		want := fmt.Sprintf(`"api-key";r=%d;`, left)
		if got := res.Header.Get("RateLimit"); !strings.HasPrefix(got, want) {
			t.Errorf("%s %s = %d, RateLimit %q, want %s", call.Method, call.Path, res.Status, got, want)
		}
	}
	for range left {
		a.Do(t, testkit.Get(key, "/auth/me"))
	}
	testkit.WantError(t, a.Do(t, testkit.Get(key, "/auth/me")), http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
}
