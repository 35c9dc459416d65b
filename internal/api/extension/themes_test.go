package extension_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/extension"
	"stoa/internal/testkit"
)

const aurora = extensions + "/theme-shop/aurora"

func theme(tb testing.TB, number string, changes map[string]any) []byte {
	tb.Helper()
	return testkit.ThemePack(tb, "aurora", number, changes, nil)
}

// themeVersions are the versions in an answer; the active one has a star.
func themeVersions(tb testing.TB, res testkit.Response) string {
	tb.Helper()
	var list []string
	versions, _ := res.Get(tb, "data.versions").([]any)
	for _, v := range versions {
		m, _ := v.(map[string]any)
		star := ""
		if m["active"] == true {
			star = "*"
		}
		list = append(list, fmt.Sprint(m["version"], star))
	}
	return strings.Join(list, " ")
}

func replace(tb testing.TB, a *testkit.App, admin string, archive []byte) testkit.Response {
	tb.Helper()
	return a.Do(tb, testkit.Request{
		Method: http.MethodPost, Path: extensions + "/theme-shop/install?replace=true", Token: admin, Body: archive,
		Header: http.Header{"Content-Type": {"application/zip"}},
	})
}

func TestVersionsOfAThemeStandSideBySide(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		steps := []struct {
			name, number string
			changes      map[string]any
			status       int
			versions     string
		}{
			{"new", "1.10.0", nil, http.StatusCreated, "1.10.0"},
			{"a lower one", "1.9.0", nil, http.StatusOK, "1.10.0 1.9.0"},
			{"a higher one", "2.0.0", nil, http.StatusOK, "2.0.0 1.10.0 1.9.0"},
			{"the same archive", "1.9.0", nil, http.StatusOK, "2.0.0 1.10.0 1.9.0"},
			{"other contents", "1.9.0", map[string]any{"name": "Other"}, http.StatusConflict, ""},
			{"the same number", "01.9.00", nil, http.StatusConflict, ""},
		}
		for _, s := range steps {
			res := a.Install(t, admin, "theme-shop", theme(t, s.number, s.changes))
			if s.status == http.StatusConflict {
				testkit.WantError(t, res, s.status, "VERSION_CONFLICT")
				continue
			}
			if res.Status != s.status || themeVersions(t, res) != s.versions || res.Text(t, "data.version") != s.number {
				t.Errorf("%s: %d %s", s.name, res.Status, res.Body)
			}
			if duplicate := res.Get(t, "data.duplicate") == true; duplicate != (s.name == "the same archive") {
				t.Errorf("%s: duplicate = %v", s.name, duplicate)
			}
		}
		if res := a.Do(t, testkit.Get(admin, aurora)); themeVersions(t, res) != "2.0.0 1.10.0 1.9.0" ||
			res.Text(t, "data.version") != "2.0.0" || res.Text(t, "data.target") != "shop" ||
			res.Text(t, "data.entry") != "theme.css" || res.Text(t, "data.baseUrl") != "/themes/shop/aurora/2.0.0/" {
			t.Errorf("theme = %s", res.Body)
		}
		if res := a.Do(t, testkit.Get(admin, aurora+"?version=1.9.0")); res.Text(t, "data.version") != "1.9.0" {
			t.Errorf("version 1.9.0 = %s", res.Body)
		}
		testkit.WantError(t, a.Do(t, testkit.Get(admin, aurora+"?version=3.0.0")), http.StatusNotFound, "NOT_FOUND")

		res := replace(t, a, admin, theme(t, "1.9.0", map[string]any{"name": "Other"}))
		if res.Status != http.StatusOK || res.Text(t, "data.name") != "Other" ||
			themeVersions(t, res) != "2.0.0 1.10.0 1.9.0" {
			t.Errorf("replace = %d %s", res.Status, res.Body)
		}
		testkit.WantError(t, replace(t, a, admin, theme(t, "01.9.00", nil)), http.StatusConflict, "VERSION_CONFLICT")
		want := []string{"theme.install", "theme.install", "theme.install", "theme.replace"}
		if got := themeActions(t, a, admin); !slices.Equal(got, want) {
			t.Errorf("audit log: %q", got)
		}
	})
}

// themeActions are the recorded actions about themes, oldest first.
func themeActions(tb testing.TB, a *testkit.App, admin string) []string {
	tb.Helper()
	items, _ := a.Do(tb, testkit.Get(admin, "/api/v1/admin/audit?limit=100&action=theme")).Get(tb, "data.items").([]any)
	var list []string
	for _, item := range items {
		m, _ := item.(map[string]any)
		list = append(list, fmt.Sprint(m["action"]))
	}
	slices.Reverse(list)
	return list
}

func TestActiveThemesStay(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		a.Install(t, admin, "theme-shop", theme(t, "1.0.0", nil))
		a.Install(t, admin, "theme-shop", theme(t, "2.0.0", nil))
		activate := func(body any) {
			t.Helper()
			if res := a.Do(t, testkit.Post(admin, "/api/v1/admin/themes/shop/activate", body)); res.Status != http.StatusOK {
				t.Fatalf("activate = %d %s", res.Status, res.Body)
			}
		}
		activate(map[string]any{"slug": "aurora", "version": "1.0.0"})
		if res := a.Do(t, testkit.Get(admin, aurora)); themeVersions(t, res) != "2.0.0 1.0.0*" {
			t.Errorf("versions = %s", res.Body)
		}
		for _, query := range []string{"", "?purge=true"} {
			testkit.WantError(t, a.Do(t, testkit.Delete(admin, aurora+query)), http.StatusConflict, "THEME_ACTIVE")
		}
		// The previous theme may go; then there is none to return to.
		other := testkit.ThemePack(t, "boreal", "1.0.0", nil, nil)
		a.Install(t, admin, "theme-shop", other)
		activate(map[string]any{"slug": "boreal"})
		if res := a.Do(t, testkit.Delete(admin, aurora)); res.Status != http.StatusOK {
			t.Fatalf("uninstall = %d %s", res.Status, res.Body)
		}
		status := a.Do(t, testkit.Get(admin, "/api/v1/admin/themes/shop"))
		if status.Text(t, "data.active.slug") != "boreal" || status.Get(t, "data.previous") != nil {
			t.Errorf("status = %s", status.Body)
		}
		testkit.WantError(t, a.Do(t, testkit.Post(admin, "/api/v1/admin/themes/shop/rollback", nil)), http.StatusConflict,
			"NO_PREVIOUS_THEME")
		gone := testkit.Post(admin, "/api/v1/admin/themes/shop/activate", map[string]any{"slug": "aurora"})
		testkit.WantError(t, a.Do(t, gone), http.StatusNotFound, "NOT_FOUND")
	})
}

func TestThemesAreUninstalledAndPurged(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		first := theme(t, "1.0.0", nil)
		a.Install(t, admin, "theme-shop", first)
		a.Install(t, admin, "theme-shop", theme(t, "2.0.0", nil))
		a.Install(t, admin, "theme-admin", theme(t, "1.0.0", nil))
		folder := filepath.Join(a.DataDir, "theme-shop", "aurora")
		files := func() int {
			t.Helper()
			entries, err := os.ReadDir(folder)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			return len(entries)
		}
		if got := files(); got != 4 { // of each version the files and the archive
			t.Errorf("%d entries in the folder", got)
		}
		if res := a.Do(t, testkit.Delete(admin, aurora)); res.Status != http.StatusOK {
			t.Fatalf("uninstall = %d %s", res.Status, res.Body)
		}
		for _, req := range []testkit.Request{
			testkit.Get(admin, aurora), testkit.Delete(admin, aurora), testkit.Get(admin, aurora+"/archive"),
			testkit.Get(admin, aurora+"/files"), testkit.Get("", "/themes/shop/aurora/1.0.0/theme.css"),
		} {
			testkit.WantError(t, a.Do(t, req), http.StatusNotFound, "NOT_FOUND")
		}
		if got := a.Do(t, testkit.Get(admin, extensions)).Get(t, "data.pagination.total"); got != 1.0 {
			t.Errorf("%v are listed, want the one for the administration", got)
		}
		if got := files(); got != 4 {
			t.Errorf("%d entries in the folder after the uninstall", got)
		}
		// Installed again, also from an archive that was.
		res := a.Install(t, admin, "theme-shop", first)
		if res.Status != http.StatusCreated || themeVersions(t, res) != "1.0.0" || res.Get(t, "data.duplicate") != nil {
			t.Errorf("again = %d %s", res.Status, res.Body)
		}
		if res := a.Do(t, testkit.Get("", "/themes/shop/aurora/1.0.0/theme.css")); res.Status != http.StatusOK ||
			!strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("file = %d %v", res.Status, res.Header)
		}
		other := testkit.Get("", "/themes/shop/aurora/2.0.0/theme.css")
		testkit.WantError(t, a.Do(t, other), http.StatusNotFound, "NOT_FOUND")

		for i, want := range []int{http.StatusOK, http.StatusNotFound} {
			if res := a.Do(t, testkit.Delete(admin, aurora+"?purge=true")); res.Status != want {
				t.Errorf("%d. purge = %d %s", i, res.Status, res.Body)
			}
		}
		if got, _ := filepath.Glob(filepath.Join(folder, "2.0.0-*")); len(got) != 0 {
			t.Errorf("purged, but there are %v", got)
		}
		if res := a.Do(t, testkit.Get(admin, extensions+"/theme-admin/aurora")); res.Status != http.StatusOK {
			t.Errorf("the theme of the administration = %d", res.Status)
		}
		// Also one that is uninstalled.
		a.Install(t, admin, "theme-shop", first)
		a.Do(t, testkit.Delete(admin, aurora))
		if res := a.Do(t, testkit.Delete(admin, aurora+"?purge=true")); res.Status != http.StatusOK {
			t.Errorf("purge after an uninstall = %d %s", res.Status, res.Body)
		}
		testkit.WantError(t, a.Do(t, testkit.Delete(admin, aurora+"?purge=maybe")), http.StatusBadRequest,
			"VALIDATION_ERROR")
	})
}

func TestThemeArchiveAndFiles(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	one, two := theme(t, "1.0.0", nil), theme(t, "2.0.0", nil)
	a.Install(t, admin, "theme-shop", one)
	path := a.Install(t, admin, "theme-shop", two).Text(t, "data.installPath")
	for query, want := range map[string][]byte{"": two, "?version=1.0.0": one, "?version=2.0.0": two} {
		res := a.Do(t, testkit.Get(admin, aurora+"/archive"+query))
		sum := sha256.Sum256(want)
		if res.Status != http.StatusOK || string(res.Body) != string(want) ||
			res.Header.Get("ETag") != `"`+hex.EncodeToString(sum[:])+`"` {
			t.Errorf("archive%s = %d, %d bytes", query, res.Status, len(res.Body))
		}
	}
	if err := os.WriteFile(filepath.Join(a.DataDir, path, "theme.css"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	states := func(query string) string {
		t.Helper()
		items, _ := a.Do(t, testkit.Get(admin, aurora+"/files"+query)).Get(t, "data.items").([]any)
		var list []string
		for _, item := range items {
			m, _ := item.(map[string]any)
			list = append(list, fmt.Sprint(m["path"], " ", m["state"]))
		}
		return strings.Join(list, ", ")
	}
	if got := states(""); got != "theme.css changed, theme.json intact" {
		t.Errorf("files = %s", got)
	}
	if got := states("?version=1.0.0"); got != "theme.css intact, theme.json intact" {
		t.Errorf("files of 1.0.0 = %s", got)
	}
	testkit.WantError(t, a.Do(t, testkit.Get(admin, aurora+"/files?color=red")), http.StatusBadRequest,
		"VALIDATION_ERROR")
}

func TestThemeArchiveRules(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.ArchiveTypes = extension.Types{extension.ThemeAdmin: {".svg"}}
	})
	admin := a.Admin(t, "root").Access
	manifest := `{"schemaVersion":1,"slug":"aurora","name":"A","version":"1.0.0","entry":"a.css"}`
	css := testkit.Entry{Name: "a.css", Body: "a{}"}
	for name, entries := range map[string][]testkit.Entry{
		"theme.json":              {{Name: "theme.json", Body: manifest}, css},
		"manifest.json":           {{Name: "manifest.json", Body: manifest}, css},
		"in a folder":             {{Name: "x/manifest.json", Body: manifest}, {Name: "x/a.css"}},
		"theme.json before other": {{Name: "theme.json", Body: manifest}, css, {Name: "manifest.json", Body: "{}"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.New(t)
			admin := a.Admin(t, "root").Access
			if res := a.Install(t, admin, "theme-shop", testkit.Archive(t, entries...)); res.Status != http.StatusCreated {
				t.Errorf("install = %d %s", res.Status, res.Body)
			}
		})
	}
	bare := testkit.Archive(t, css)
	testkit.WantError(t, a.Install(t, admin, "theme-shop", bare), http.StatusBadRequest, "INVALID_ARCHIVE")
	svg := testkit.ThemePack(t, "aurora", "1.0.0", nil, map[string]string{"a.svg": "<svg/>"})
	testkit.WantError(t, a.Install(t, admin, "theme-shop", svg), http.StatusBadRequest, "INVALID_ARCHIVE")
	if res := a.Install(t, admin, "theme-admin", svg); res.Status != http.StatusCreated {
		t.Errorf("a type that is allowed for the kind = %d %s", res.Status, res.Body)
	}
	large := make([]byte, 10<<20+1)
	testkit.WantError(t, a.Install(t, admin, "theme-shop", large), http.StatusRequestEntityTooLarge,
		"PAYLOAD_TOO_LARGE")
	testkit.WantError(t, a.Install(t, admin, "theme-shop", large[1:]), http.StatusBadRequest, "INVALID_ARCHIVE")
}

func TestListsHaveThemesAfterPlugins(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	for _, slug := range []string{"pay", "mail"} {
		a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, slug, nil))
	}
	for _, pack := range []struct{ kind, slug, number string }{
		{"theme-shop", "boreal", "1.0.0"},
		{"theme-shop", "aurora", "1.0.0"},
		{"theme-shop", "aurora", "2.0.0"},
		{"theme-admin", "aurora", "1.0.0"},
	} {
		a.Install(t, admin, pack.kind, testkit.ThemePack(t, pack.slug, pack.number, nil, nil))
	}
	all := []string{
		"plugin mail 1.0.0", "plugin pay 1.0.0", "theme-admin aurora 1.0.0", "theme-shop aurora 2.0.0", "theme-shop boreal 1.0.0",
	}
	for path, want := range map[string][]string{
		"": all, "/theme-shop": all[3:], "/theme-admin": all[2:3], "/plugin": all[:2],
	} {
		for _, limit := range []int{1, 2, 3, 100} {
			var got []string
			for page := 1; page <= 6; page++ {
				res := a.Do(t, testkit.Get(admin, fmt.Sprintf("%s%s?limit=%d&page=%d", extensions, path, limit, page)))
				items, _ := res.Get(t, "data.items").([]any)
				for _, item := range items {
					m, _ := item.(map[string]any)
					got = append(got, fmt.Sprint(m["kind"], " ", m["slug"], " ", m["version"]))
				}
				if total := res.Get(t, "data.pagination.total"); total != float64(len(want)) || len(items) > limit {
					t.Errorf("%s: %d items, total %v", path, len(items), total)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s in pages of %d (-want +got):\n%s", path, limit, diff)
			}
		}
	}
}

// Of two archives with the same version that are installed at once, on two replicas,
// one wins; versions that differ all get in.
func TestThemesInstalledAtOnce(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		admin := a.Admin(t, "root").Access
		var all sync.WaitGroup
		statuses := make([]int, 8)
		for i := range statuses {
			all.Go(func() {
				on := a
				if i%2 == 1 {
					on = b
				}
				archive := theme(t, fmt.Sprintf("1.%d.0", i/2), map[string]any{"n": i})
				statuses[i] = on.Install(t, admin, "theme-shop", archive).Status
			})
		}
		all.Wait()
		counts := make(map[int]int)
		for _, status := range statuses {
			counts[status]++
		}
		want := map[int]int{http.StatusCreated: 1, http.StatusOK: 3, http.StatusConflict: 4}
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Errorf("statuses (-want +got):\n%s", diff)
		}
		if got := themeVersions(t, b.Do(t, testkit.Get(admin, aurora))); got != "1.3.0 1.2.0 1.1.0 1.0.0" {
			t.Errorf("versions = %s", got)
		}
	})
}

// A retry with its Idempotency-Key gets the first answer; and the same content under
// another key is a duplicate.
func TestInstallOfAThemeIsRepeated(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	var answers []string
	for _, key := range []string{"k1", "k1", "k2"} {
		res := a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: extensions + "/theme-shop/install", Token: admin, Body: theme(t, "1.0.0", nil),
			Header: http.Header{"Content-Type": {"application/zip"}, "Idempotency-Key": {key}},
		})
		answers = append(answers,
			fmt.Sprint(res.Status, " ", res.Header.Get("Idempotency-Replayed"), " ", res.Get(t, "data.duplicate")))
	}
	if diff := cmp.Diff([]string{"201  <nil>", "201 true <nil>", "200  true"}, answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// A version that came from the market is never replaced by another archive.
func TestThemesFromTheMarketAreNotReplaced(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	a.Install(t, admin, "theme-shop", theme(t, "1.0.0", nil))
	if _, err := a.DB.Conn().Write.ExecContext(t.Context(),
		`UPDATE theme_versions SET from_market = $1, signed_by = 'acme'`, true); err != nil {
		t.Fatal(err)
	}
	if res := a.Do(t, testkit.Get(admin, aurora)); res.Text(t, "data.source") != "official-market" ||
		res.Text(t, "data.signedBy") != "acme" {
		t.Errorf("theme = %s", res.Body)
	}
	testkit.WantError(t, replace(t, a, admin, theme(t, "1.0.0", map[string]any{"name": "Other"})), http.StatusConflict,
		"VERSION_CONFLICT")
	if res := replace(t, a, admin, theme(t, "1.0.1", nil)); res.Status != http.StatusOK {
		t.Errorf("another version = %d %s", res.Status, res.Body)
	}
}
