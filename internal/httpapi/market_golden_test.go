package httpapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/market"
	"stoa/internal/testkit"
)

var update = flag.Bool("update", false, "write the golden files anew")

// unknownKey is a well-formed key that no licence has.
func unknownKey() string { return market.NewLicenseKey().Reveal() }

// What differs from run to run.
var (
	anyID  = regexp.MustCompile(`"[a-z][a-z0-9]{23}"`)
	anyKey = regexp.MustCompile(`"STOA(-[0-9A-Z]{5}){6}"`)
)

// wantGolden compares a body with testdata/<name>.json, where ids and keys are
// replaced by placeholders.
func wantGolden(t *testing.T, name string, body []byte) {
	t.Helper()
	body = anyKey.ReplaceAll(anyID.ReplaceAll(body, []byte(`"ID"`)), []byte(`"KEY"`))
	var got bytes.Buffer
	if err := json.Indent(&got, body, "", "  "); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got.String(), string(want)); diff != "" {
		t.Errorf("%s (-got +want):\n%s", path, diff)
	}
}

func TestMarketplaceBodies(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		importCatalog(t, a)
		perpetual, subscription := buy(t, a, "once"), buy(t, a, "yearly")
		purchase := send(t, a, products+"/bare/purchase", `{"tierId":"only","paymentMethod":"none","unknown":1}`)
		for name, res := range map[string]testkit.Response{
			"market_purchase":              purchase,
			"market_activate":              activate(t, a, perpetual, "a.example"),
			"market_activate_subscription": activate(t, a, subscription, "a.example"),
			"market_verify":                verify(t, a, "mail-pack", perpetual, "a.example"),
			"market_list":                  fetch(t, a, products),
			"market_product":               fetch(t, a, products+"/mail-pack"),
			"market_product_bare":          fetch(t, a, products+"/bare"),
			"market_validation":            send(t, a, products+"/mail-pack/purchase", `{}`),
			"market_full":                  fill(t, a),
			"market_not_found":             fetch(t, a, products+"/nope"),
		} {
			wantGolden(t, name, res.Body)
		}
	})
}

// fill activates one instance more than a licence allows and returns the answer.
func fill(tb testing.TB, a *testkit.App) testkit.Response {
	tb.Helper()
	key := buy(tb, a, "free")
	activate(tb, a, key, "a.example")
	return activate(tb, a, key, "b.example")
}

func TestMedia(t *testing.T) {
	t.Parallel()
	a := shop(t)
	icon := fetch(t, a, products+"/mail-pack").Text(t, "icon")

	res := fetch(t, a, icon)
	if res.Status != http.StatusOK || string(res.Body) != testSVG {
		t.Errorf("GET %s = %d %s", icon, res.Status, res.Body)
	}
	for name, want := range map[string]string{
		"Content-Type":            "image/svg+xml",
		"Cache-Control":           "public, max-age=31536000, immutable",
		"X-Content-Type-Options":  "nosniff",
		"Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	again := a.Do(t, testkit.Request{Method: http.MethodGet, Path: icon, Header: http.Header{"If-None-Match": {res.Header.Get("ETag")}}})
	if again.Status != http.StatusNotModified {
		t.Errorf("with If-None-Match = %d, want 304", again.Status)
	}
	for _, path := range []string{"/media/nope.svg", "/media/" + strings.Repeat("0", 64) + ".svg", "/media/..%2fstoa.db", "/media/..%2fmaster.key", "/media/%00.svg"} {
		if res := fetch(t, a, path); res.Status != http.StatusNotFound {
			t.Errorf("GET %s = %d, want 404", path, res.Status)
		}
	}
}
