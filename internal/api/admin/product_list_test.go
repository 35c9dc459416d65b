package admin_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

func TestManagedProductsAreFiltered(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	admin := a.Admin(t, "ada").Access
	for slug, position := range map[string]int{"b-last": 5, "a-first": -5} {
		manage(t, a, admin, http.MethodPost, managed,
			draft(slug, map[string]any{"position": position, "trending": position < 0}), http.StatusCreated)
	}
	for query, want := range map[string]string{
		"":                                   "mail-pack a-first * * b-last",
		"?published=true":                    "mail-pack bare",
		"?published=false":                   "a-first hidden b-last",
		"?published=false&sort=name":         "hidden * *",
		"?q=LAST":                            "b-last",
		"?category=secret":                   "hidden",
		"?featured=true":                     "mail-pack",
		"?trending=true&published=false":     "a-first",
		"?limit=2&page=2":                    "* *",
		"?page=9":                            "",
		"?published=&category=tools&limit=1": "a-first",
	} {
		res := manage(t, a, admin, http.MethodGet, managed+query, nil, http.StatusOK)
		got := strings.Fields(slugsOf(t, res))
		expected := strings.Fields(want)
		for i, slug := range expected {
			if slug == "*" && i < len(got) { // ties are sorted by id, which is random
				expected[i] = got[i]
			}
		}
		if !slices.Equal(got, expected) {
			t.Errorf("%s = %q, want %q", query, got, want)
		}
	}
	bad := manage(t, a, admin, http.MethodGet, managed+"?published=maybe&featured=1&sort=price-&page=0&limit=101&q=%00",
		nil, http.StatusBadRequest)
	if diff := cmp.Diff(named(t, bad), []string{
		"page out_of_range", "limit out_of_range", "featured wrong_type",
		"sort unknown_value", "q out_of_range", "published wrong_type",
	}); diff != "" {
		t.Errorf("issues (-got +want):\n%s", diff)
	}
	bad = manage(t, a, admin, http.MethodGet, managed+"?page=x&limit=1.5", nil, http.StatusBadRequest)
	if diff := cmp.Diff(named(t, bad), []string{"page wrong_type", "limit wrong_type"}); diff != "" {
		t.Errorf("issues (-got +want):\n%s", diff)
	}
}

// Products are sorted by position within the featured ones and within the
// others, and then by downloads. The shop does the same.
func TestPositionOrdersTheShop(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "ada").Access
		for slug, p := range map[string]map[string]any{
			"plain-many": {"downloadCount": 900}, "plain-few": {"downloadCount": 1},
			"plain-late": {"position": 1, "downloadCount": 5000},
			"star-late":  {"featured": true, "position": 2, "downloadCount": 9},
			"star-early": {"featured": true, "position": -2},
		} {
			p["published"] = true
			manage(t, a, admin, http.MethodPost, managed, draft(slug, p), http.StatusCreated)
		}
		var got []string
		for _, p := range a.Fetch(t, testkit.Products).Get(t, "products").([]any) {
			got = append(got, p.(map[string]any)["slug"].(string))
		}
		if want := []string{
			"star-early", "star-late", "plain-many", "plain-few", "plain-late",
		}; !slices.Equal(got, want) {
			t.Errorf("the shop = %q, want %q", got, want)
		}
	})
}

// Case makes no difference, even if a letter becomes several in the other case
// or has two forms.
func TestSearchFoldsCase(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "ada").Access
		for slug, name := range map[string]string{
			"way": "Οδος", "road": "Lange Straße", "many": "one two three four five six seven eight nine",
		} {
			manage(t, a, admin, http.MethodPost, managed, draft(slug, map[string]any{"name": name}), http.StatusCreated)
		}
		for q, want := range map[string]string{
			"ΟΔΟΣ": "way", "οδος": "way", "οδοσ": "way",
			"STRASSE": "road", "straße": "road", "strasse lange": "road",
			"one two three four five six seven eight nine": "many",
			"one two three four five six seven eight ten":  "", // each word counts
			"one one one one one one one one ten":          "",
		} {
			if got := slugsOf(t, manage(t, a, admin, http.MethodGet, managed+"?q="+
				url.QueryEscape(q), nil, http.StatusOK)); got != want {
				t.Errorf("%q finds %q, want %q", q, got, want)
			}
		}
	})
}
