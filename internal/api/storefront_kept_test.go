package httpapi_test

import (
	"compress/gzip"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// pageStep is a change, and what shows it: a page, and a text that it has, or lacks if it begins with "!".
type pageStep struct {
	what   string
	change func(t *testing.T)
	path   string
	text   string
}

// Pages are kept in memory, and yet every change shows with the next request, on every replica.
func TestEveryChangeShowsOnTheNextPage(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, db *sql.DB) {
		a.ImportCatalog(t)
		visited := []string{
			"/", "/?sort=downloads", "/?q=mail", "/?category=other", "/p/mail-pack", "/p/bare", "/p/hidden",
			"/checkout/mail-pack/once", "/licenses", "/orders/x",
		}
		for _, step := range pageSteps(t, a, b, db) {
			for _, replica := range []*testkit.App{a, b} {
				for _, path := range visited {
					replica.Do(t, opened(path))
				}
			}
			step.change(t)
			for name, replica := range map[string]*testkit.App{"the same": a, "another": b} {
				body := string(replica.Do(t, opened(step.path)).Body)
				text, not := strings.CutPrefix(step.text, "!")
				if strings.Contains(body, text) == not {
					t.Errorf("%s: %s of %s replica does not show it (%s)", step.what, step.path, name, step.text)
				}
			}
		}
	})
}

// pageSteps are changes of everything that pages show.
func pageSteps(t *testing.T, a, b *testkit.App, db *sql.DB) []pageStep {
	t.Helper()
	admin, ada := a.Admin(t, "root").Access, a.Register(t, "ada").Access
	a.BuyKey(t, ada, "once")
	var review string
	do := func(req testkit.Request) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if res := a.Do(t, req); res.Status >= http.StatusBadRequest {
				t.Fatalf("%s %s = %d %s", req.Method, req.Path, res.Status, res.Body)
			}
		}
	}
	sql := func(statements ...string) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			for _, s := range statements {
				if _, err := db.ExecContext(t.Context(), s); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	product := func(slug string, change map[string]any) func(t *testing.T) {
		return do(testkit.Patch(admin, "/api/v1/admin/products/"+slug, change))
	}
	settings := func(change map[string]any) func(t *testing.T) {
		return do(testkit.Patch(admin, "/api/v1/admin/settings", change))
	}
	hide := func(hidden bool) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			do(testkit.Patch(admin, "/api/v1/admin/reviews/"+review, map[string]any{"hidden": hidden}))(t)
		}
	}
	buyBare := do(testkit.Post("", testkit.Products+"/bare/purchase", map[string]any{"tierId": "only", "paymentMethod": "card"}))
	card := func(slug, name string) string { return fmt.Sprintf(`<h2><a href="/p/%s">%s</a></h2>`, slug, name) }
	return []pageStep{
		{"an edited product", product("bare", map[string]any{"name": "Barest"}), "/p/bare", "Barest"},
		{"an edited product in the catalog", product("bare", map[string]any{"name": "Bare"}), "/", card("bare", "Bare")},
		{"an edited product in a search", product("bare", map[string]any{"name": "Bare mails"}), "/?q=mail", "Bare mails"},
		{"an edited product in its category", product("bare", map[string]any{"name": "Bare"}), "/?category=other", card("bare", "Bare")},
		{"a price at the checkout", sql(`UPDATE products SET name = 'Mail Parcel' WHERE slug = 'mail-pack'`), "/checkout/mail-pack/once", "Mail Parcel"},
		{"a withdrawn product", product("bare", map[string]any{"published": false}), "/p/bare", "Page not found"},
		{"a product that is back", product("bare", map[string]any{"published": true}), "/p/bare", "Little more."},
		{"a withdrawn product in the catalog", product("bare", map[string]any{"published": false}), "/", "!/p/bare"},
		{"a product that is back in the catalog", product("bare", map[string]any{"published": true}), "/", "/p/bare"},
		{"a draft that is published", product("hidden", map[string]any{"published": true}), "/p/hidden", "Not yet."},
		{"a deleted product", do(testkit.Delete(admin, "/api/v1/admin/products/hidden")), "/p/hidden", "Page not found"},
		{"the shop's name", settings(map[string]any{"shopName": "Acme"}), "/", "<title>Acme</title>"},
		{"the shop's name on a product", settings(map[string]any{"shopName": "Acme Two"}), "/p/bare", "Acme Two</title>"},
		{"the shop's name on a frame", settings(map[string]any{"shopName": "Acme Three"}), "/licenses", "Acme Three</title>"},
		{"the shop's name where nothing is", settings(map[string]any{"shopName": "Acme 4"}), "/p/hidden", "Acme 4</title>"},
		{"help for buyers", settings(map[string]any{"supportEmail": "help@acme.example"}), "/orders/x", "help@acme.example"},
		{"a purchase", func(t *testing.T) { t.Helper(); a.BuyKey(t, "", "once") }, "/p/mail-pack", "<dd>102</dd>"},
		{"a purchase elsewhere", func(t *testing.T) { t.Helper(); b.BuyKey(t, "", "once") }, "/p/mail-pack", "<dd>103</dd>"},
		{"a purchase on the other product", buyBare, "/p/bare", "<dd>1</dd>"},
		{"a review", func(t *testing.T) {
			t.Helper()
			review = a.Review(t, ada, `{"rating":5,"title":"Splendid"}`, http.StatusCreated).Text(t, "id")
		}, "/p/mail-pack", "Splendid"},
		{"a review in the ratings of the catalog", hide(true), "/", "(12)"},
		{"a hidden review", hide(false), "/p/mail-pack", "Splendid"},
		{"an author's name", sql(`UPDATE users SET username = 'Countess' WHERE username = 'ada'`), "/p/mail-pack", "Countess"},
		{"a withdrawn review", do(testkit.Delete(ada, testkit.Reviews)), "/p/mail-pack", "!Splendid"},
		{"a package", sql(`INSERT INTO product_packages (kind, slug, version, product_id, path, zip_hash, signed_by, size, published_at_ms)
			SELECT 'plugin', 'mail', '7.1.0', id, 'x', 'x', '', 1, 1 FROM products WHERE slug = 'mail-pack'`), "/p/mail-pack", "7.1.0"},
		{"a withdrawn package", sql(`UPDATE product_packages SET withdrawn_at_ms = 2`), "/p/mail-pack", "!7.1.0"},
	}
}

// A purchase moves a product up in lists. Nothing else of them changes.
func TestPurchasesReorderTheCatalog(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, db *sql.DB) {
		a.ImportCatalog(t)
		if _, err := db.ExecContext(t.Context(), `UPDATE products SET download_count = 0`); err != nil {
			t.Fatal(err)
		}
		buy := func(slug, tier string) {
			t.Helper()
			res := a.Do(t, testkit.Post("", testkit.Products+"/"+slug+"/purchase",
				map[string]any{"tierId": tier, "paymentMethod": "card"}))
			if res.Status != http.StatusOK {
				t.Fatalf("purchase = %d %s", res.Status, res.Body)
			}
		}
		for range 2 {
			for _, step := range []struct{ slug, tier, before string }{{"mail-pack", "once", "bare"}, {"bare", "only", "mail-pack"}} {
				buy(step.slug, step.tier)
				if step.slug == "bare" {
					buy(step.slug, step.tier)
				}
				for _, replica := range []*testkit.App{a, b} {
					page := string(replica.Do(t, opened("/?sort=downloads")).Body)
					mine, other := strings.Index(page, `href="/p/`+step.slug), strings.Index(page, `href="/p/`+step.before)
					if mine < 0 || other < 0 || mine > other {
						t.Errorf("after a purchase of %s, %s is still before it", step.slug, step.before)
					}
				}
			}
			buy("mail-pack", "once") // which is one behind
		}
	})
}

// The kept form is what was rendered: for everybody, in both codings, and for HEAD.
func TestKeptPagesAreTheSameForEverybody(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.ImportCatalog(t)
	user := a.Register(t, "ada").Access
	for path, status := range map[string]int{
		"/": 200, "/?q=mail": 200, "/p/mail-pack": 200, "/p/mail-pack?reviews=9": 200, "/p/nothing": 404,
		"/checkout/mail-pack/once": 200, "/account": 200,
	} {
		plain := ask(t, a, http.MethodGet, path, "identity", "", "")
		packed := ask(t, a, http.MethodGet, path, "gzip", "", "")
		if plain.StatusCode != status || packed.StatusCode != status || packed.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s = %d and %d %v", path, plain.StatusCode, packed.StatusCode, packed.Header)
		}
		body := read(t, plain.Body)
		zip, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, zip); got != body {
			t.Errorf("%s differs when it is compressed", path)
		}
		if got := read(t, ask(t, a, http.MethodGet, path, "identity", "", user).Body); got != body {
			t.Errorf("%s differs for a user", path)
		}
		if !strings.Contains(strings.Join(plain.Header.Values("Vary"), ","), "Accept-Encoding") {
			t.Errorf("%s varies with %v", path, plain.Header.Values("Vary"))
		}
		for coding, was := range map[string]*http.Response{"identity": plain, "gzip": packed} {
			head := ask(t, a, http.MethodHead, path, coding, "", "")
			for _, name := range []string{
				"ETag", "Cache-Control", "Content-Type", "Content-Length", "Content-Encoding", "Content-Security-Policy",
			} {
				if head.Header.Get(name) != was.Header.Get(name) {
					t.Errorf("HEAD %s: %s: %q, want %q", path, name, head.Header.Get(name), was.Header.Get(name))
				}
			}
			want := map[int][2]string{200: {"no-cache", "304"}, 404: {"no-store", "404"}}[status]
			again := ask(t, a, http.MethodGet, path, coding, was.Header.Get("ETag"), user)
			if was.Header.Get("Cache-Control") != want[0] || fmt.Sprint(again.StatusCode) != want[1] {
				t.Errorf("%s: Cache-Control %s, again %d; want %v", path, was.Header.Get("Cache-Control"), again.StatusCode, want)
			}
		}
		if status == http.StatusOK && plain.Header.Get("ETag") == packed.Header.Get("ETag") {
			t.Errorf("%s: one entity tag for two codings", path)
		}
	}
}

// ask returns an answer as it was sent.
func ask(t *testing.T, a *testkit.App, method, path, coding, tag, token string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, a.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Accept": browserAccept, "Accept-Encoding": coding, "If-None-Match": tag, "Authorization": "Bearer " + token,
	} {
		if value != "" && value != "Bearer " {
			req.Header.Set(name, value)
		}
	}
	res, err := a.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func read(t *testing.T, r io.Reader) string {
	t.Helper()
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
