package browser_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

// serveExample serves the page in docs/browser-apps.md, as it is written there but
// for the address of stoa, on an origin of its own.
func serveExample(t *testing.T, stoa *string) *httptest.Server {
	t.Helper()
	text, err := os.ReadFile("../docs/browser-apps.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```html\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 1 || strings.Count(blocks[0][1], "https://shop.example.com") != 1 {
		t.Fatalf("docs/browser-apps.md has %d examples, want one that names https://shop.example.com once", len(blocks))
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(strings.Replace(blocks[0][1], "https://shop.example.com", *stoa, 1)))
	}))
	t.Cleanup(srv.Close)
	return srv
}

func TestExampleForOtherOriginsWorksAsWritten(t *testing.T) {
	t.Parallel()

	var stoa string
	page := serveExample(t, &stoa)
	a := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.CORSOrigins = []string{page.URL} })
	a.Register(t, "ada")
	stoa = a.URL
	b := newTabAt(t, page.URL, a.URL)
	b.open(t, "/")
	b.fill(t, "E-mail address", "ada@example.com")
	b.fill(t, "Password", "wrong password")
	b.click(t, "button", "Sign in")
	b.seesStatus(t, `^The e-mail address or the password is wrong. \(request [0-9a-f-]{36}\)$`)
	b.fill(t, "Password", testkit.Password)
	b.click(t, "button", "Sign in")
	b.seesStatus(t, `^Signed in as ada\.$`)
	b.click(t, "button", "Get Mail Pack")
	b.seesStatus(t, `^Your license key for Mail Pack: [A-Z0-9-]{20,}$`)
}

// A page whose origin is not in the list gets nothing, in a browser's opinion, too.
func TestPagesOfUnlistedOriginsReadNothing(t *testing.T) {
	t.Parallel()

	var stoa string
	page := serveExample(t, &stoa)
	a := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.CORSOrigins = []string{"https://other.example"} })
	stoa = a.URL
	b := newTabAt(t, page.URL, a.URL)
	b.do(t, "expect", "has been blocked by CORS policy")
	b.open(t, "/")
	b.seesStatus(t, `^Failed to fetch$`)
}
