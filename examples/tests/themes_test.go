package tests

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/examples/themes"
	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
)

func themeArchive(t *testing.T, name string) []byte {
	t.Helper()
	zip, err := themes.Archive(name)
	if err != nil {
		t.Fatal(err)
	}
	return zip
}

// page is what the storefront made of its page.
type page struct {
	Theme      *string           `json:"theme"`
	Properties map[string]string `json:"properties"`
	Stylesheet bool              `json:"stylesheet"`
	Block      string            `json:"block"`
	Meta       []string          `json:"meta"`
	Asides     []string          `json:"asides"`
}

func visit(t *testing.T, a *testkit.App) page {
	t.Helper()
	node := needtest.Program(t, "node", "")
	cmd := exec.CommandContext(t.Context(), node, filepath.Join("../themes/storefront", "try.mjs"), a.URL)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("try.mjs: %v\n%s", err, out)
	}
	var p page
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return p
}

// The example storefront applies the example pack, and shows a block and embeds.
func TestStorefrontAppliesThePackAndRendersExtensions(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	empty := page{Properties: map[string]string{}, Meta: []string{}, Asides: []string{}}
	if diff := cmp.Diff(empty, visit(t, a)); diff != "" {
		t.Errorf("with nothing installed (-want +got):\n%s", diff)
	}

	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/ratings" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"text":"4.8 of 5 in ` + r.Header.Get("X-Installation-Key") + `"}`))
	}))
	t.Cleanup(service.Close)
	plugin := testkit.ExternalPlugin(t, "product-ratings", map[string]any{
		"externalBaseUrl": service.URL,
		"themeExtensions": map[string]any{
			"blocks": []any{map[string]any{"extensionId": "stars", "name": "Ratings", "dataEndpoint": "/api/ratings"}},
			"embeds": []any{
				map[string]any{
					"extensionId": "badge", "name": "Badge", "targetPosition": "body-end", "dataEndpoint": "/api/ratings?short=1",
				},
				map[string]any{"extensionId": "rated", "name": "Rated", "targetPosition": "head-end"},
				map[string]any{"extensionId": "down", "name": "Down", "targetPosition": "body-end", "dataEndpoint": "/api/down"},
			},
		},
	})
	if res := a.Install(t, admin, "plugin", plugin); res.Status != http.StatusCreated {
		t.Fatalf("plugin = %d %s", res.Status, res.Body)
	}
	if res := a.Install(t, admin, "theme-shop", themeArchive(t, "aurora")); res.Status != http.StatusCreated {
		t.Fatalf("theme = %d %s", res.Status, res.Body)
	}
	res := a.Do(t, testkit.Post(admin, "/api/v1/admin/themes/shop/activate", map[string]any{"slug": "aurora"}))
	if res.Status != http.StatusOK {
		t.Fatalf("activate = %d %s", res.Status, res.Body)
	}
	aurora := "aurora"
	want := page{
		Theme: &aurora, Stylesheet: true,
		Properties: map[string]string{"--theme-accentColor": "#0a7d62", "--theme-columns": "3"},
		Block:      "Ratings: 4.8 of 5 in default",
		Meta:       []string{"rated=Rated"}, Asides: []string{"Badge: 4.8 of 5 in default", "Down"},
	}
	if diff := cmp.Diff(want, visit(t, a)); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}

// browser is a visitor of the shop.
type browser struct {
	*http.Client

	at *url.URL // the page it shows
}

func newBrowser(t *testing.T, a *testkit.App) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(a.URL)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{Client: &http.Client{Transport: a.Client.Transport, Jar: jar}, at: at}
}

// open shows a page, or sends a form to it.
func (b *browser) open(t *testing.T, address string, form url.Values) (status int, page string) {
	t.Helper()
	to, err := b.at.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	method, body := http.MethodGet, ""
	if form != nil {
		method, body = http.MethodPost, form.Encode()
	}
	req, err := http.NewRequestWithContext(t.Context(), method, to.String(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", b.at.Scheme+"://"+b.at.Host)
	}
	res, err := b.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	b.at = res.Request.URL
	return res.StatusCode, string(text)
}

var (
	formKey = regexp.MustCompile(`name="key" value="([^"]+)"`)
	bought  = regexp.MustCompile(`<code>(STOA-[0-9A-Z-]+)</code>`)
)

// The example theme app is the shop: visitors browse it at the root, buy, sign in, and
// their license works.
func TestCornerSellsALicense(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	admin := a.Admin(t, "root").Access
	a.Register(t, "ada")
	if res := a.Install(t, admin, "theme-app-shop", themeArchive(t, "corner")); res.Status != http.StatusCreated {
		t.Fatalf("install = %d %s", res.Status, res.Body)
	}
	res := a.Do(t, testkit.Post(admin, "/api/v1/admin/themes/shop/activate", map[string]any{"slug": "corner"}))
	if res.Status != http.StatusOK {
		t.Fatalf("activate = %d %s", res.Status, res.Body)
	}
	for _, base := range []string{"", "/theme-app/shop/corner"} {
		b := newBrowser(t, a)
		_, home := b.open(t, base+"/", nil)
		if !strings.Contains(home, `href="`+base+`/products/mail-pack"`) || strings.Contains(home, "hidden") {
			t.Fatalf("home of %q:\n%s", base, home)
		}
		if status, css := b.open(t, base+"/style.css", nil); status != http.StatusOK || !strings.Contains(css, "--accent") {
			t.Errorf("style = %d %s", status, css)
		}
		if status, page := b.open(t, base+"/licenses", nil); status != http.StatusOK || !strings.Contains(page, "Password") {
			t.Errorf("licenses of a guest = %d %s", status, page)
		}
		_, page := b.open(t, base+"/sign-in", url.Values{"email": {"ada@example.com"}, "password": {testkit.Password}})
		if !strings.Contains(page, "My licenses") || !strings.HasSuffix(b.at.Path, base+"/licenses") {
			t.Fatalf("after the sign-in at %s:\n%s", b.at, page)
		}
		_, product := b.open(t, base+"/products/mail-pack", nil)
		key := formKey.FindStringSubmatch(product)
		if key == nil {
			t.Fatalf("product:\n%s", product)
		}
		buy := url.Values{"tier": {"once"}, "key": {key[1]}}
		_, first := b.open(t, base+"/products/mail-pack/buy", buy)
		_, second := b.open(t, base+"/products/mail-pack/buy", buy) // a reload
		license := bought.FindStringSubmatch(first)
		if license == nil || !strings.Contains(second, license[1]) {
			t.Fatalf("bought:\n%s\n%s", first, second)
		}
		a.UseLicense(t, license[1])
		if _, page := b.open(t, base+"/licenses", nil); !strings.Contains(page, "Mail Pack: active") {
			t.Errorf("licenses:\n%s", page)
		}
		b.open(t, base+"/sign-out", url.Values{})
		if _, page := b.open(t, base+"/licenses", nil); !strings.Contains(page, "Password") {
			t.Errorf("licenses after the sign-out:\n%s", page)
		}
	}
	b := newBrowser(t, a)
	if status, page := b.open(t, "/nowhere", nil); status != http.StatusNotFound || !strings.Contains(page, "no such page") {
		t.Errorf("an unknown page = %d %s", status, page)
	}
	if status, page := b.open(t, "/products/none", nil); status != http.StatusNotFound {
		t.Errorf("an unknown product = %d %s", status, page)
	}
}

// The files that the page on themes quotes are the files of the example.
func TestDocumentQuotesTheExample(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile("../../docs/themes.md")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile("../themes/aurora/theme.json")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "```json\n"+string(manifest)+"```") {
		t.Error("docs/themes.md does not quote aurora/theme.json")
	}
}
