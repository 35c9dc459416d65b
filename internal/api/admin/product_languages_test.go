package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// A product's words in other languages, from the administrator to the buyer.
func TestAProductSpeaksOtherLanguages(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "ada").Access
		path, public := managed+"/cards", testkit.Products+"/cards"
		first := manage(t, a, admin, http.MethodPost, managed, draft("cards", map[string]any{"name": "Cards", "published": true}),
			http.StatusCreated)
		plain, list := a.Fetch(t, public).Body, a.Fetch(t, testkit.Products).Body
		if _, told := first.Get(t, "data").(map[string]any)["translations"]; told {
			t.Errorf("a product without translations has some: %s", first.Body)
		}

		words := map[string]any{
			"de-at": map[string]any{"name": "Kärtchen"},
			"de": map[string]any{
				"name": "Karten", "shortDescription": "Kurz.", "highlights": []any{"Schnell"},
				"features": []any{map[string]any{"title": "Titel", "items": []any{"Eins"}}},
				"tiers":    map[string]any{"pro": map[string]any{"name": "Profi"}},
			},
		}
		res := manage(t, a, admin, http.MethodPatch, path, map[string]any{"translations": words}, http.StatusOK)
		if res.Header.Get("ETag") == first.Header.Get("ETag") {
			t.Error("translations do not change the entity tag")
		}
		want := map[string]any{
			"de-AT": map[string]any{"name": "Kärtchen"},
			"de": map[string]any{
				"name": "Karten", "shortDescription": "Kurz.", "highlights": []any{"Schnell"},
				"features": []any{map[string]any{"title": "Titel", "description": "", "items": []any{"Eins"}}},
				"tiers":    map[string]any{"pro": map[string]any{"name": "Profi"}},
			},
		}
		shown := manage(t, a, admin, http.MethodGet, path, nil, http.StatusOK)
		if diff := cmp.Diff(shown.Get(t, "data.translations"), any(want)); diff != "" {
			t.Errorf("translations (-got +want):\n%s", diff)
		}
		// What is shown can be sent back, and changes nothing.
		again := manage(t, a, admin, http.MethodPatch, path, shown.Get(t, "data"), http.StatusOK, shown.Header.Get("ETag"))
		if got := again.Header.Get("ETag"); got != shown.Header.Get("ETag") {
			t.Errorf("the tag of what was sent back is %s, was %s", got, shown.Header.Get("ETag"))
		}

		for query, want := range map[string]string{
			"?lang=de": "Karten Profi", "?lang=DE-ch": "Karten Profi", "?lang=de-AT": "Kärtchen Profi", "?lang=fr": "Cards Pro",
			"?lang=deutsch": "Cards Pro", "?lang=": "Cards Pro", "": "Cards Pro",
		} {
			one := a.Do(t, testkit.Request{
				Method: http.MethodGet, Path: public + query, Header: http.Header{"Accept-Language": {"de"}, "Cookie": {"stoa-language=de"}},
			})
			if got := names(t, one.JSON(t)); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
			name, _, _ := strings.Cut(want, " ")
			if got := a.Fetch(t, testkit.Products+query).Get(t, "products").([]any)[0].(map[string]any)["name"]; got != name {
				t.Errorf("the list of %s has %q, want %q", query, got, name)
			}
			preview := manage(t, a, admin, http.MethodGet, path+"/preview"+query, nil, http.StatusOK).Get(t, "data")
			if got := names(t, preview); got != want {
				t.Errorf("the preview of %s: %q, want %q", query, got, want)
			}
		}
		if found := a.Fetch(t, testkit.Products+"?q=karten"); found.Get(t, "pagination.total") != 1.0 {
			t.Errorf("a search in German finds %s", found.Body)
		}

		res = manage(t, a, admin, http.MethodPatch, path, map[string]any{"translations": map[string]any{
			"de": map[string]any{"tiers": map[string]any{"max": map[string]any{"name": "Max"}}}, "deutsch": map[string]any{},
		}}, http.StatusBadRequest)
		if got := fmt.Sprint(named(t, res)); got != "[translations.de.tiers.max unknown_value translations.deutsch unknown_value]" {
			t.Errorf("issues = %s", got)
		}
		manage(t, a, admin, http.MethodPatch, path, map[string]any{"translations": nil}, http.StatusOK)
		for at, want := range map[string][]byte{public: plain, testkit.Products: list} {
			if got := a.Fetch(t, at+"?lang=de").Body; string(got) != string(want) {
				t.Errorf("without translations again, %s is: %s\nbefore: %s", at, got, want)
			}
		}
	})
}

// names returns a product's name and that of its first tier.
func names(tb testing.TB, product any) string {
	tb.Helper()
	p, ok := product.(map[string]any)
	if !ok {
		tb.Fatalf("no product: %v", product)
	}
	return fmt.Sprint(p["name"], " ", p["pricingTiers"].([]any)[0].(map[string]any)["name"])
}

// An exported catalog brings its languages along.
func TestLanguagesAreExportedAndImported(t *testing.T) {
	t.Parallel()

	a, b := testkit.New(t), testkit.New(t)
	from, to := a.Admin(t, "ada").Access, b.Admin(t, "ada").Access
	manage(t, a, from, http.MethodPost, managed, draft("cards", map[string]any{
		"translations": map[string]any{"ja": map[string]any{"name": "カード", "tiers": map[string]any{"pro": map[string]any{"features": []any{"全部"}}}}},
	}), http.StatusCreated)
	for _, format := range []string{"yaml", "json"} {
		export := manage(t, a, from, http.MethodGet, "/api/v1/admin/catalog?format="+format, nil, http.StatusOK)
		manage(t, b, to, http.MethodPost, "/api/v1/admin/catalog", export.Body, http.StatusOK)
		if got := manage(t, b, to, http.MethodGet, "/api/v1/admin/catalog?format="+format, nil, http.StatusOK); string(got.Body) != string(export.Body) ||
			!strings.Contains(string(got.Body), "全部") {
			t.Errorf("%s exported again:\n%s\nwas:\n%s", format, got.Body, export.Body)
		}
	}
}
