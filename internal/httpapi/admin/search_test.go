package admin_test

import (
	"net/http"
	"net/url"
	"testing"

	"stoa/internal/testkit"
)

// Case is no difference, also where a letter in the other case is another number
// of letters, or has two forms.
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
			"ΟΔΟΣ": "way", "οδος": "way", "οδοσ": "way", "STRASSE": "road", "straße": "road", "strasse lange": "road",
			"one two three four five six seven eight nine": "many",
			"one two three four five six seven eight ten":  "", // each word counts
			"one one one one one one one one ten":          "",
		} {
			if got := slugsOf(t, manage(t, a, admin, http.MethodGet, managed+"?q="+url.QueryEscape(q), nil, http.StatusOK)); got != want {
				t.Errorf("%q finds %q, want %q", q, got, want)
			}
		}
	})
}
