package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
)

func TestTheConsoleIsOnePageWithNothingInline(t *testing.T) {
	t.Parallel()
	needWeb(t)

	a := testkit.New(t)
	a.Admin(t, "root")
	for _, path := range []string{"/console", "/console/plugins/gift-notes"} {
		res := a.Fetch(t, path)
		policy := res.Header.Get("Content-Security-Policy")
		if res.Status != http.StatusOK || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") ||
			!strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s = %d with the policy %q", path, res.Status, policy)
		}
		if regexp.MustCompile(`<style|<script[^>]*>[^<]`).Match(res.Body) {
			t.Errorf("%s has code inline:\n%s", path, res.Body)
		}
	}
}

// A plugin's page is a stranger's program beside an administrator's session.
func TestThePluginFrameHasAnOriginOfItsOwnAndNoWayOut(t *testing.T) {
	t.Parallel()

	res := testkit.New(t).Fetch(t, "/console/plugin-frame")
	policy := "; " + res.Header.Get("Content-Security-Policy") + "; "
	for _, part := range []string{
		"; sandbox allow-scripts allow-forms allow-modals allow-downloads; ", "; default-src 'none'; ",
		"; base-uri 'none'; ", "; form-action 'none'; ", "; frame-ancestors 'self'; ",
	} {
		if !strings.Contains(policy, part) {
			t.Errorf("%q is missing in the policy %q", part, policy)
		}
	}
	for _, hole := range []string{"allow-same-origin", "allow-popups", "allow-top-navigation", "connect-src", "frame-src", "http", "*"} {
		if strings.Contains(policy, hole) {
			t.Errorf("the policy %q has %q", policy, hole)
		}
	}
	if res.Status != http.StatusOK || !strings.Contains(string(res.Body), `send({ stoa: "ready" })`) {
		t.Errorf("%d %s", res.Status, res.Body)
	}
}

// A file's name has a hash of its contents, so a browser asks for it once.
func TestBuiltFilesAreCompressedAndKept(t *testing.T) {
	t.Parallel()
	needWeb(t)

	a := testkit.New(t)
	a.Admin(t, "root")
	script := regexp.MustCompile(`src="(/assets/[^"]+\.js)"`).FindSubmatch(a.Fetch(t, "/console").Body)
	if script == nil {
		t.Fatal("the console has no script")
	}
	path := string(script[1])
	folder := path[:strings.LastIndex(path, "/")+1]
	bodies := make(map[string][]byte)
	for _, coding := range []string{"gzip", "br", "identity"} {
		res := a.Do(t, testkit.Request{Method: http.MethodGet, Path: path, Header: http.Header{"Accept-Encoding": {coding}}})
		want := coding
		if coding == "identity" {
			want = ""
		}
		if res.Status != http.StatusOK || res.Header.Get("Content-Encoding") != want ||
			!strings.Contains(res.Header.Get("Cache-Control"), "immutable") || res.Header.Get("Vary") == "" {
			t.Errorf("%s as %s = %d %v", path, coding, res.Status, res.Header)
		}
		bodies[coding] = res.Body
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(bodies["gzip"]))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(unpacked)
	if err != nil || !bytes.Equal(plain, bodies["identity"]) || len(bodies["br"]) >= len(plain) {
		t.Errorf("the forms of %s differ: %d, %d, %d bytes, %v", path, len(plain), len(bodies["identity"]), len(bodies["br"]), err)
	}
	for _, missing := range []string{folder + "none.js", folder + "manifest.json", folder + "..%2fembed.go", "/assets/en/" + path[len(folder):], path + ".br"} {
		if res := a.DoUnchecked(t, testkit.Request{Method: http.MethodGet, Path: missing}); res.Status != http.StatusNotFound {
			t.Errorf("%s = %d, want 404", missing, res.Status)
		}
	}
}

func needWeb(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("../../web/dist/assets/manifest.json"); err != nil {
		needtest.Lacks(t, "the console is not built: run make build")
	}
}
