package web_test

import (
	"net/http"
	"testing"

	"stoa/internal/api/web"
)

func TestOnlyClientsThatPreferJSONGetNoPage(t *testing.T) {
	t.Parallel()

	for accept, want := range map[string]bool{
		"":          false, // curl sends */*, and many monitors nothing
		"*/*":       false,
		"text/html": false,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": false, // browsers
		"text/*":                                   false,
		"image/avif, image/png":                    false,
		"text/plain":                               false,
		"application/json, text/html":              false,
		"application/json;q=0.5, */*":              false,
		"application/json":                         true,
		"Application/JSON; charset=utf-8":          true,
		"application/*":                            true,
		"application/json, text/plain, */*":        true, // axios
		"application/json, */*;q=0.5":              true,
		"text/html;q=0.4, application/json;q=0.5":  true,
		"text/html; q=0.3, application/json; q=.2": false,
		"text/html;q=0":                            true,
		"text/html;q=0, */*":                       true,
		"*/*;q=0":                                  true,
		"text/html;q=no, application/json":         true,
		"application/json;q=NaN":                   false,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://shop.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		if got := web.PrefersJSON(r); got != want {
			t.Errorf("Accept: %s prefers JSON: %v, want %v", accept, got, want)
		}
	}
}
