package themes_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/extension"
	"stoa/internal/testkit"
)

const packs = "/themes/shop/aurora/1.0.0"

// svgAllowed lets theme packs of the shop have more types of files.
func svgAllowed(_ testing.TB, cfg *app.Config) {
	cfg.ArchiveTypes = extension.Types{extension.ThemeShop: {".svg", ".xyz", "license"}}
}

// served starts a stoa with a pack that has a file of each type.
func served(t *testing.T) (a *testkit.App, admin string) {
	t.Helper()
	a = testkit.New(t, svgAllowed)
	admin = a.Admin(t, "root").Access
	pack := testkit.ThemePack(t, "aurora", "1.0.0", nil, map[string]string{
		"run.js": "alert(1)", "t/page.html": "<script>alert(1)</script>", "data.json": "{}",
		"fonts/a.woff": "w", "fonts/b.WOFF2": "w2",
		"logo.svg": "<svg><script>alert(1)</script></svg>", "odd.xyz": "?", "LICENSE": "MIT", "a b/ü.css": "x{}",
	})
	if res := a.Install(t, admin, "theme-shop", pack); res.Status != http.StatusCreated {
		t.Fatalf("install = %d %s", res.Status, res.Body)
	}
	return a, admin
}

func TestFilesOfPacksAreServed(t *testing.T) {
	t.Parallel()

	a, _ := served(t)
	for path, contentType := range map[string]string{
		"theme.css": "text/css; charset=utf-8", "run.js": "text/javascript; charset=utf-8",
		"t/page.html": "text/html; charset=utf-8", "data.json": "application/json", "theme.json": "application/json",
		"fonts/a.woff": "font/woff", "fonts/b.WOFF2": "font/woff2", "logo.svg": "image/svg+xml",
		"odd.xyz": "application/octet-stream", "LICENSE": "application/octet-stream",
		"a%20b/%C3%BC.css": "text/css; charset=utf-8",
	} {
		res := a.Do(t, testkit.Get("", packs+"/"+path))
		if res.Status != http.StatusOK || res.Header.Get("Content-Type") != contentType {
			t.Errorf("%s = %d %s, want %s", path, res.Status, res.Header.Get("Content-Type"), contentType)
		}
		policy := res.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script") ||
			!strings.Contains(policy, "; sandbox") || strings.Contains(policy, "allow-") {
			t.Errorf("%s has the policy %q", path, policy)
		}
		if got := res.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s has Cache-Control %q", path, got)
		}
		if got := res.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s has X-Content-Type-Options %q", path, got)
		}
	}
	whole := a.Do(t, testkit.Get("", packs+"/run.js"))
	if string(whole.Body) != "alert(1)" {
		t.Errorf("body = %q", whole.Body)
	}
	head := a.Do(t, testkit.Request{Method: http.MethodHead, Path: packs + "/run.js"})
	if head.Status != http.StatusOK || len(head.Body) != 0 || head.Header.Get("Content-Length") != "8" ||
		head.Header.Get("ETag") != whole.Header.Get("ETag") {
		t.Errorf("HEAD = %d %v", head.Status, head.Header)
	}
	with := func(name, value string) testkit.Response {
		return a.Do(t, testkit.Request{
			Method: http.MethodGet, Path: packs + "/run.js", Header: http.Header{name: {value}},
		})
	}
	if res := with("Range", "bytes=0-4"); res.Status != http.StatusPartialContent || string(res.Body) != "alert" {
		t.Errorf("a part = %d %q", res.Status, res.Body)
	}
	if res := with("Range", "bytes=99-"); res.Status != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("no such part = %d", res.Status)
	}
	if res := with("If-None-Match", whole.Header.Get("ETag")); res.Status != http.StatusNotModified || len(res.Body) != 0 {
		t.Errorf("known = %d %q", res.Status, res.Body)
	}
	other := a.Do(t, testkit.Get("", packs+"/theme.css"))
	if other.Header.Get("ETag") == whole.Header.Get("ETag") {
		t.Error("two files have the same ETag")
	}
}

func TestNothingElseIsServed(t *testing.T) {
	t.Parallel()

	a, admin := served(t)
	folder, err := filepath.Glob(filepath.Join(a.DataDir, "theme-shop", "aurora", "1.0.0-*"))
	if err != nil || len(folder) != 2 { // the files, and the archive
		t.Fatalf("folders = %v, %v", folder, err)
	}
	// What an intruder with access to the folder might leave.
	if err := os.Symlink(a.DataDir, filepath.Join(folder[0], "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.DataDir, "secret.css"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		packs, packs + "/", packs + "/none.css", packs + "/fonts", packs + "/fonts/", packs + "/theme.css/", packs + "/t",
		packs + "/link/secret.css", packs + "/theme.css/x", packs + "/fonts%2Fa.woff", packs + "/fonts%5Ca.woff",
		packs + "/..%2F..%2F..%2Fsecret.css", packs + "/%2e%2e/%2e%2e/%2e%2e/secret.css", packs + "/../../../secret.css",
		packs + `/..\..\..\secret.css`, packs + "/%00", packs + "/theme.css%00", packs + "/%ff", packs + "//theme.css",
		packs + "/./theme.css", packs + "/%2e/theme.css", packs + "/.", packs + "/%2Fetc/passwd",
		packs + "/LICENSE/../theme.css",
		"/themes/admin/aurora/1.0.0/theme.css", "/themes/moon/aurora/1.0.0/theme.css", "/themes/shop/none/1.0.0/theme.css",
		"/themes/shop/aurora/1.0.1/theme.css", "/themes/shop/aurora/latest/theme.css", "/themes/shop/Aurora/1.0.0/theme.css",
		"/themes/shop/aurora%00/1.0.0/theme.css", "/themes/shop/../shop/aurora/1.0.0/theme.css", "/themes/shop/aurora",
		"/themes", "/themes/shop", "/themes/shop/aurora/1.0.0.zip",
	} {
		res := a.DoUnchecked(t, testkit.Get("", path))
		if res.Status != http.StatusNotFound || strings.Contains(string(res.Body), "secret") {
			t.Errorf("%s = %d %.100s", path, res.Status, res.Body)
		}
	}
	if res := a.DoUnchecked(t, testkit.Post("", packs+"/theme.css", nil)); res.Status != http.StatusMethodNotAllowed {
		t.Errorf("POST = %d", res.Status)
	}
	if res := a.Do(t, testkit.Delete(admin, "/api/v1/admin/extensions/theme-shop/aurora")); res.Status != http.StatusOK {
		t.Fatalf("uninstall = %d %s", res.Status, res.Body)
	}
	wantError(t, a.Do(t, testkit.Get("", packs+"/theme.css")), http.StatusNotFound, "NOT_FOUND")
}

// A version that was replaced is no longer sent as immutable.
func TestReplacedVersionsAreAskedForAgain(t *testing.T) {
	t.Parallel()

	a, admin := served(t)
	before := a.Do(t, testkit.Get("", packs+"/theme.css"))
	res := a.Do(t, testkit.Request{
		Method: http.MethodPost, Path: "/api/v1/admin/extensions/theme-shop/install?replace=true", Token: admin,
		Body:   testkit.ThemePack(t, "aurora", "1.0.0", map[string]any{"name": "New"}, nil),
		Header: http.Header{"Content-Type": {"application/zip"}},
	})
	if res.Status != http.StatusOK {
		t.Fatalf("replace = %d %s", res.Status, res.Body)
	}
	after := a.Do(t, testkit.Get("", packs+"/theme.css"))
	if after.Status != http.StatusOK || after.Header.Get("Cache-Control") != "public, no-cache" ||
		after.Header.Get("ETag") == before.Header.Get("ETag") {
		t.Errorf("replaced = %d %v", after.Status, after.Header)
	}
	wantError(t, a.Do(t, testkit.Get("", packs+"/run.js")), http.StatusNotFound, "NOT_FOUND")
}
