package themes_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// lost is a theme app that knows its front page and nothing else.
const lost = `
require('node:http').createServer((req, res) => {
  if (req.url === '/' || req.url === '/health' || req.url === '/orders') return res.end('the app')
  res.writeHead(404, { 'content-type': 'text/plain', 'x-app': 'yes', 'set-cookie': 'a=b' })
  res.write('the app knows no ' + req.url)
  res.end()
}).listen(Number(process.env.PORT), process.env.HOST)
`

// Links in mails lead to stoa's own pages. Where the active theme app has nothing at their addresses,
// they are served, and nothing of the app's answer.
func TestStoasOwnPagesTakeThePlaceOfAMissingOne(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	admin := a.Admin(t, "root").Access
	installApp(t, a, admin, "theme-app-shop", testkit.ThemeApp(t, "lost", "1.0.0", nil, map[string]string{"server.js": lost}))
	if res := activate(t, a, admin, "shop", map[string]any{"slug": "lost"}); res.Status != http.StatusOK {
		t.Fatalf("activate = %d %s", res.Status, res.Body)
	}
	for path, want := range map[string]string{"/": "the app", "/orders": "the app", "/about": "the app knows no /about"} {
		if s := get(t, a, path, nil); s.Body != want {
			t.Errorf("%s = %d %s, want the app's", path, s.Status, s.Body)
		}
	}
	for _, path := range []string{
		"/p/mail-pack", "/checkout/mail-pack/once", "/orders/" + strings.Repeat("a", 24),
		"/licenses", "/licenses/" + strings.Repeat("a", 24), "/account", "/account/sign-in", "/sign-in",
	} {
		s := get(t, a, path, nil)
		if s.Status != http.StatusOK || !strings.Contains(s.Body, "<html") || s.Header.Get("X-App") != "" ||
			s.Header.Get("Set-Cookie") != "" || s.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s = %d %v %.60s, want stoa's page", path, s.Status, s.Header, s.Body)
		}
	}
	if s := get(t, a, "/p/nothing", nil); s.Status != http.StatusNotFound || !strings.Contains(s.Body, "<html") {
		t.Errorf("an unknown product = %d %.60s, want stoa's page", s.Status, s.Body)
	}
	for method, want := range map[string]int{http.MethodHead: http.StatusOK, http.MethodPost: http.StatusNotFound} {
		req, err := http.NewRequestWithContext(t.Context(), method, a.URL+"/p/mail-pack", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := a.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != want || (method == http.MethodPost) != strings.HasPrefix(string(body), "the app knows") {
			t.Errorf("%s = %d %s, want %d", method, res.StatusCode, body, want)
		}
	}
}
