package shop_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/data/blob"
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

// With object storage, the data folder keeps no more media than it should. All are shown.
func TestMediaBeyondTheBoundOfTheCacheAreShown(t *testing.T) {
	t.Parallel()

	remote, err := blob.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remote.Close() })
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Storage, cfg.MediaCache = remote, 100 })
	admin := a.Admin(t, "root").Access
	var paths, bodies []string
	for i := range 4 {
		body := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="1"></svg>`, i+1) // 64 bytes
		res := a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: "/api/v1/admin/media", Token: admin, Body: []byte(body),
			Header: http.Header{"Content-Type": {"image/svg+xml"}},
		})
		paths, bodies = append(paths, res.Text(t, "data.path")), append(bodies, body)
	}
	for i, path := range paths {
		if res := a.Fetch(t, path); res.Status != http.StatusOK || string(res.Body) != bodies[i] {
			t.Errorf("GET %s = %d %s", path, res.Status, res.Body)
		}
		files, err := filepath.Glob(filepath.Join(a.DataDir, "media", "*.svg"))
		if err != nil || len(files) != 1 {
			t.Errorf("the data folder has %q, %v", files, err)
		}
	}
}
