package themes_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

const cornerPath = "/theme-app/shop/corner"

// withCorner returns a stoa behind a proxy with limits and the theme app corner, which signs in for its
// visitors, passing on X-Forge as the visitor, and whose /visitor shows the headers and token that name a visitor.
func withCorner(t *testing.T) *testkit.App {
	t.Helper()
	a := testkit.New(t, testkit.Limited, func(_ testing.TB, cfg *app.Config) {
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} // where the visitors come from
	})
	const signIn = `
require('http').createServer(async (req, res) => {
  if (req.url === '/health') return res.end()
  if (req.url === '/visitor') return res.end(req.headers['x-platform-visitor'] + ' ' + process.env.STOA_THEME_APP_TOKEN)
  const answer = await fetch(process.env.STOA_API_BASE_URL + '/auth/login', {
    method: 'POST', body: '{"email":"nobody@example.com","password":"wrong-password"}',
    headers: {
      'content-type': 'application/json',
      'x-platform-visitor': req.headers['x-forge'] ?? req.headers['x-platform-visitor'],
      'x-theme-app-token': process.env.STOA_THEME_APP_TOKEN, 'x-forwarded-for': '203.0.113.99'
    }
  })
  res.writeHead(answer.status).end()
}).listen(process.env.PORT)`
	installApp(t, a, a.Admin(t, "root").Access, "theme-app-shop",
		testkit.ThemeApp(t, "corner", "1.0.0", nil, map[string]string{"server.js": signIn}))
	return a
}

// visitor returns the headers of a visitor with that address.
func visitor(address string, more http.Header) http.Header {
	header := http.Header{"X-Forwarded-For": {address}}
	maps.Copy(header, more)
	return header
}

// Calls that a theme app makes for its visitors count against the limits of each visitor.
func TestLimitsCountTheVisitorsOfAThemeApp(t *testing.T) {
	t.Parallel()

	a := withCorner(t)
	tries := func(header http.Header) (refused int) {
		for range 20 { // of which 10 are allowed in a minute, by a clock that stands still
			if get(t, a, cornerPath+"/sign-in", header).Status == http.StatusTooManyRequests {
				refused++
			}
		}
		return refused
	}
	for _, address := range []string{"203.0.113.1", "203.0.113.2"} {
		if n := tries(visitor(address, nil)); n != 10 {
			t.Errorf("of 20 attempts of %s, %d were refused", address, n)
		}
	}
	// What is not stoa's word counts for the app as a whole, which has the address from
	// which the administrator signed in, too.
	if n := tries(visitor("203.0.113.3", http.Header{"X-Forge": {"s1.AAAA"}})); n != 11 {
		t.Errorf("of 20 attempts with a made-up visitor, %d were refused", n)
	}
	if n := tries(visitor("203.0.113.4", http.Header{"X-Forge": {"203.0.113.4"}})); n != 20 {
		t.Errorf("of 20 more, %d were refused", n)
	}
}

// A client that got hold of stoa's word for another visitor needs the app's token, too, and only for a
// while.
func TestNoClientPassesForAVisitorOfAThemeApp(t *testing.T) {
	t.Parallel()

	a := withCorner(t)
	word, token, _ := strings.Cut(get(t, a, cornerPath+"/visitor", visitor("203.0.113.5", nil)).Body, " ")
	calls := 0
	left := func(header map[string]string) (n int) {
		calls++
		email := fmt.Sprintf("nobody-%d@example.com", calls)
		request := testkit.Post("", "/auth/login", map[string]any{"email": email, "password": "wrong-password"})
		request.Header = visitor("203.0.113.6", nil)
		for name, value := range header {
			request.Header.Set(name, value)
		}
		_, _ = fmt.Sscanf(a.Do(t, request).Header.Get("RateLimit"), `"login";r=%d`, &n)
		return n
	}
	both := map[string]string{"X-Platform-Visitor": word, "X-Theme-App-Token": token}
	for i, tt := range []struct {
		name   string
		header map[string]string
		left   int
	}{
		{"nothing", nil, 9},
		{"a visitor without a token", map[string]string{"X-Platform-Visitor": word}, 8},
		{"a wrong token", map[string]string{"X-Platform-Visitor": word, "X-Theme-App-Token": token + "x"}, 7},
		{"both", both, 9},
	} {
		if got := left(tt.header); got != tt.left {
			t.Errorf("%d %s: %d attempts are left, want %d", i, tt.name, got, tt.left)
		}
	}
	a.Clock.Advance(10 * time.Minute)
	left(nil)
	if got := left(both); got != 8 {
		t.Errorf("long afterwards, %d attempts are left", got)
	}
}

// A body reaches the app as it is, up to 10 MiB.
func TestBodiesOfCallsToAnApp(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	running(t, a, admin)
	post := func(body io.Reader) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL+"/form", body)
		if err != nil {
			t.Fatal(err)
		}
		res, err := a.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(text)
	}
	if status, text := post(strings.NewReader("a=1&b=ü")); status != http.StatusOK || !strings.Contains(text, `"body":"a=1&b=ü"`) {
		t.Errorf("a form = %d %s", status, text)
	}
	res, err := a.Client.Post(a.URL+"/", "text/plain", strings.NewReader("x"))
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("POST / = %+v, %v", res, err)
	}
	_ = res.Body.Close()
	const limit = 10 << 20
	if status, text := post(strings.NewReader(strings.Repeat("x", limit))); status != http.StatusOK || len(text) < limit {
		t.Errorf("10 MiB = %d, %d bytes", status, len(text))
	}
	long := strings.Repeat("x", limit+1)
	for name, body := range map[string]io.Reader{
		"a known length": strings.NewReader(long), "an unknown length": io.MultiReader(strings.NewReader(long)),
	} {
		if status, text := post(body); status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "PAYLOAD_TOO_LARGE") {
			t.Errorf("one byte more, of %s = %d %s", name, status, text)
		}
	}
}
