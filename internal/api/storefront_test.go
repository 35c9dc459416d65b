package httpapi_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
)

func TestTheCatalogWorksWithoutScripts(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.ImportCatalog(t)
	for path, want := range map[string]struct{ in, out string }{
		"/":                            {`href="/p/mail-pack"`, `href="/p/hidden"`},
		"/?q=mail":                     {`href="/p/mail-pack"`, `href="/p/bare"`},
		"/?category=other":             {`href="/p/bare"`, `href="/p/mail-pack"`},
		"/?q=nothing+like+it":          {"No product matches", `href="/p/`},
		"/?page=2":                     {"This page is empty", `href="/p/`},
		"/?page=x&sort=x&q=%00":        {`href="/p/mail-pack"`, "No product"},
		"/?page=99999999999999999999":  {`href="/p/mail-pack"`, "This page is empty"},
		"/?sort=name&category=&q=%20+": {`<option value="name" selected>`, "No product"},
	} {
		res := a.Do(t, opened(path))
		if body := string(res.Body); res.Status != http.StatusOK || !strings.Contains(body, want.in) || strings.Contains(body, want.out) {
			t.Errorf("%s = %d, want %s and not %s", path, res.Status, want.in, want.out)
		}
	}
}

func TestAProductHasAPageForEverybody(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Name = "Acme" })
	a.ImportCatalog(t)
	res := a.Do(t, opened("/p/mail-pack"))
	if res.Status != http.StatusOK || !strings.Contains(string(res.Body), "<title>Mail Pack · Acme</title>") {
		t.Errorf("the page = %d %.300s", res.Status, res.Body)
	}
	policy := res.Header.Get("Content-Security-Policy")
	if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "script-src 'self'") || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy = %s", policy)
	}
	// Those who preview an address ask for anything.
	bot := testkit.Get("", "/p/mail-pack")
	bot.Header = http.Header{"Accept": {"*/*"}}
	if res := a.Do(t, bot); res.Status != http.StatusOK || !strings.Contains(string(res.Body), "og:title") {
		t.Errorf("a preview = %d", res.Status)
	}
	again := opened("/p/mail-pack")
	again.Header.Set("If-None-Match", res.Header.Get("ETag"))
	if got := a.Do(t, again); got.Status != http.StatusNotModified {
		t.Errorf("the page again = %d, want 304", got.Status)
	}
	// A draft looks like a product that never existed.
	for _, path := range []string{"/p/hidden", "/p/nothing", "/p/No%20Slug"} {
		res := a.Do(t, opened(path))
		if res.Status != http.StatusNotFound || !strings.Contains(string(res.Body), "Page not found") ||
			strings.Contains(string(res.Body), "Hidden") || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s = %d %v", path, res.Status, res.Header)
		}
	}
}

// The checkout shows the product before its script runs. Drafts look like plans that do not exist: the
// script asks the API and shows that nothing is for sale.
func TestTheCheckoutIsReadableWithoutScripts(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.ImportCatalog(t)
	page := func(path string) string {
		t.Helper()
		res := a.Do(t, opened(path))
		if res.Status != http.StatusOK {
			t.Errorf("%s = %d", path, res.Status)
		}
		return string(res.Body)
	}
	once := page("/checkout/mail-pack/once")
	for _, part := range []string{"<h2>Mail Pack</h2>", "<dd>Once</dd>", "<dd>€49.90</dd>", "Paid once.", "For 3 installations", `<div id="app">`} {
		if !strings.Contains(once, part) {
			t.Errorf("the checkout has no %s", part)
		}
	}
	frame := page("/licenses")
	for _, path := range []string{
		"/checkout/mail-pack/never", "/checkout/hidden/only", "/checkout/nothing/only", "/checkout/No%20Slug/%22%3E",
	} {
		if page(path) != frame {
			t.Errorf("%s is not the frame in which the script says that nothing is for sale", path)
		}
	}
}

// The pages of the signed-in part are the same for everyone: what belongs to a person
// comes from the API.
func TestFramesOfTheSignedInPart(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	user := a.Register(t, "ada")
	for _, path := range []string{
		"/sign-in", "/checkout/mail-pack/once", "/orders", "/orders/x", "/licenses", "/licenses/x",
		"/account", "/account/sign-in", "/account/second-step", "/account/devices", "/account/data",
	} {
		guest, own := opened(path), opened(path)
		own.Token = user.Access
		res := a.Do(t, guest)
		if res.Status != http.StatusOK || !strings.Contains(string(res.Body), `<div id="app">`) ||
			!strings.Contains(string(res.Body), "noindex") {
			t.Errorf("%s = %d %.200s", path, res.Status, res.Body)
		}
		if string(a.Do(t, own).Body) != string(res.Body) {
			t.Errorf("%s differs for a user", path)
		}
	}
}

// firstLoad is what a browser transfers to show a page, without its pictures.
func firstLoad(t *testing.T, a *testkit.App, path string) (total int) {
	t.Helper()
	transfer := func(path, coding string) (size int, body string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", browserAccept)
		req.Header.Set("Accept-Encoding", coding)
		res, err := a.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		sent, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s = %d, %v", path, res.StatusCode, err)
		}
		if res.Header.Get("Content-Encoding") == "gzip" {
			plain, err := gzip.NewReader(strings.NewReader(string(sent)))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(plain)
			if err != nil {
				t.Fatal(err)
			}
			return len(sent), string(text)
		}
		return len(sent), string(sent)
	}
	total, body := transfer(path, "gzip, br")
	files := regexp.MustCompile(`(?:href|src)="(/assets/[^"]+)"`).FindAllStringSubmatch(body, -1)
	if len(files) < 2 {
		t.Fatalf("%s names %d files", path, len(files))
	}
	for _, file := range files {
		size, _ := transfer(file[1], "gzip, br")
		total += size
	}
	return total
}

// The budgets of the storefront, compressed and without pictures.
func TestFirstLoadOfTheStorefront(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.ImportCatalog(t)
	if res := a.Do(t, opened("/")); !strings.Contains(string(res.Body), "/assets/") {
		needtest.Lacks(t, "web/ is not built: run make build")
	}
	for path, most := range map[string]int{"/": 20 << 10, "/p/mail-pack": 20 << 10, "/checkout/mail-pack/once": 90 << 10} {
		got := firstLoad(t, a, path)
		t.Logf("%s: %d bytes", path, got)
		if got > most {
			t.Errorf("%s takes %d bytes, want at most %d", path, got, most)
		}
	}
}
