package shop_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

func TestMedia(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	icon := a.Fetch(t, testkit.Products+"/mail-pack").Text(t, "icon")

	res := a.Fetch(t, icon)
	if res.Status != http.StatusOK || string(res.Body) != testkit.SVG {
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
	again := a.Do(t, testkit.Request{
		Method: http.MethodGet, Path: icon, Header: http.Header{"If-None-Match": {res.Header.Get("ETag")}},
	})
	if again.Status != http.StatusNotModified {
		t.Errorf("with If-None-Match = %d, want 304", again.Status)
	}
	for _, path := range []string{
		"/media/nope.svg", "/media/" + strings.Repeat("0", 64) + ".svg",
		"/media/..%2fstoa.db", "/media/..%2fmaster.key", "/media/%00.svg",
	} {
		if res := a.Fetch(t, path); res.Status != http.StatusNotFound {
			t.Errorf("GET %s = %d, want 404", path, res.Status)
		}
	}
}
