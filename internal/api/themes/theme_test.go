package themes_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

const (
	themes = "/api/v1/admin/themes"
	active = "/api/v1/shop/themes/active"
)

// install installs a pack for the shop, which must be accepted.
func install(tb testing.TB, a *testkit.App, admin, slug, version string, changes map[string]any) {
	tb.Helper()
	res := a.Install(tb, admin, "theme-shop", testkit.ThemePack(tb, slug, version, changes, nil))
	if res.Status != http.StatusCreated && res.Status != http.StatusOK {
		tb.Fatalf("install %s %s = %d %s", slug, version, res.Status, res.Body)
	}
}

// state is what an answer says is active and previous: "slug version config" each.
func state(tb testing.TB, res testkit.Response) string {
	tb.Helper()
	if res.Status != http.StatusOK {
		tb.Fatalf("answer = %d %s", res.Status, res.Body)
	}
	return name(tb, res.Get(tb, "data.active")) + " | " + name(tb, res.Get(tb, "data.previous"))
}

func name(tb testing.TB, applied any) string {
	tb.Helper()
	m, ok := applied.(map[string]any)
	if !ok {
		return "-"
	}
	config, err := json.Marshal(m["config"])
	if err != nil {
		tb.Fatal(err)
	}
	return fmt.Sprint(m["slug"], " ", m["version"], " ", string(config))
}

// wantError fails the test unless an answer is that error.
func wantError(tb testing.TB, res testkit.Response, status int, code string) {
	tb.Helper()
	if res.Status != status || res.Text(tb, "error.code") != code {
		tb.Errorf("answer = %d %s, want %d %s", res.Status, res.Body, status, code)
	}
}

func TestActivateRollbackDeactivate(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		defaults := map[string]any{"defaultConfig": map[string]any{"accent": "green"}}
		install(t, a, admin, "aurora", "1.9.0", defaults)
		install(t, a, admin, "aurora", "1.10.0", defaults)
		install(t, a, admin, "boreal", "2.0.0", nil)

		do := func(verb string, body any) testkit.Response {
			t.Helper()
			return a.Do(t, testkit.Post(admin, themes+"/shop/"+verb, body))
		}
		if got := state(t, a.Do(t, testkit.Get(admin, themes+"/shop"))); got != "- | -" {
			t.Errorf("at first: %s", got)
		}
		wantError(t, do("rollback", nil), http.StatusConflict, "NO_PREVIOUS_THEME")

		const highest, old = `aurora 1.10.0 {"accent":"green"}`, `aurora 1.9.0 {"accent":"red"}`
		steps := []struct {
			verb string
			body any
			want string
		}{
			{"deactivate", nil, "- | -"},
			{"activate", map[string]any{"slug": "aurora"}, highest + " | -"},
			{"activate", map[string]any{"slug": "aurora", "version": nil, "config": nil}, highest + " | -"},
			{
				"activate",
				map[string]any{"slug": "aurora", "version": "1.9.0", "config": map[string]any{"accent": "red"}},
				old + " | " + highest,
			},
			{"rollback", nil, highest + " | " + old},
			{"rollback", nil, old + " | " + highest},
			{"activate", map[string]any{"slug": "boreal", "config": map[string]any{}}, "boreal 2.0.0 {} | " + old},
			{"deactivate", nil, "- | boreal 2.0.0 {}"},
			{"deactivate", nil, "- | boreal 2.0.0 {}"},
			{"rollback", nil, "boreal 2.0.0 {} | -"},
		}
		for i, s := range steps {
			if got := state(t, do(s.verb, s.body)); got != s.want {
				t.Errorf("%d. %s: %s, want %s", i, s.verb, got, s.want)
			}
			if got := state(t, a.Do(t, testkit.Get(admin, themes+"/shop"))); got != s.want {
				t.Errorf("%d. after %s: %s, want %s", i, s.verb, got, s.want)
			}
			public := a.Do(t, testkit.Get("", active))
			if got, _, _ := strings.Cut(s.want, " | "); name(t, public.Get(t, "data")) != got {
				t.Errorf("%d. the shop shows %s, want %s", i, public.Body, got)
			}
		}
		if got := state(t, a.Do(t, testkit.Get(admin, themes+"/admin"))); got != "- | -" {
			t.Errorf("the administration shows %s", got)
		}
		want := []string{
			"theme.activate built-in → aurora 1.10.0", "theme.activate aurora 1.10.0 → aurora 1.9.0",
			"theme.rollback aurora 1.9.0 → aurora 1.10.0", "theme.rollback aurora 1.10.0 → aurora 1.9.0",
			"theme.activate aurora 1.9.0 → boreal 2.0.0", "theme.deactivate boreal 2.0.0 → built-in",
			"theme.rollback built-in → boreal 2.0.0",
		}
		if diff := cmp.Diff(want, changes(t, a, admin)); diff != "" {
			t.Errorf("audit log (-want +got):\n%s", diff)
		}
	})
}

// changes are the entries of the audit log about the shop's theme, oldest first.
func changes(tb testing.TB, a *testkit.App, admin string) []string {
	tb.Helper()
	res := a.Do(tb, testkit.Get(admin, "/api/v1/admin/audit?limit=100&action=theme"))
	items, _ := res.Get(tb, "data.items").([]any)
	var list []string
	for _, item := range items {
		e, _ := item.(map[string]any)
		details, _ := e["details"].(map[string]any)
		if target, _ := e["target"].(map[string]any); target["type"] == "theme" && target["id"] == "shop" {
			list = append(list, fmt.Sprintf("%v %v → %v", e["action"], details["previousTheme"], details["theme"]))
		}
	}
	slices.Reverse(list)
	return list
}

func TestAppliedThemeIsWhatAStorefrontNeeds(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	pack := testkit.ThemePack(t, "aurora", "1.0.0", map[string]any{
		"entry": map[string]any{"tokensCSS": "./theme.css", "assetsDir": "assets", "custom": 1},
	}, map[string]string{"assets/a.json": "{}"})
	a.Install(t, admin, "theme-admin", pack)
	res := a.Do(t, testkit.Post(admin, themes+"/admin/activate", map[string]any{"slug": "aurora"}))
	want := map[string]any{
		"kind": "theme-admin", "slug": "aurora", "version": "1.0.0", "baseUrl": "/themes/admin/aurora/1.0.0/",
		"entry":  map[string]any{"tokensCSS": "theme.css", "assetsDir": "assets/"},
		"config": map[string]any{},
	}
	if diff := cmp.Diff(want, res.Get(t, "data.active")); diff != "" || res.Text(t, "data.target") != "admin" {
		t.Errorf("active (-want +got):\n%s", diff)
	}
	if res := a.Do(t, testkit.Get("", active)); string(res.Body) != `{"success":true,"data":null}`+"\n" {
		t.Errorf("the shop shows %s", res.Body)
	}
}

func TestActivateRefuses(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, user := a.Admin(t, "root").Access, a.Register(t, "ann").Access
	install(t, a, admin, "aurora", "1.0.0", map[string]any{"configSchema": map[string]any{
		"accent": map[string]any{"type": "color", "required": true}, "columns": map[string]any{"type": "number"},
	}})
	ok := map[string]any{"accent": "green"}
	tests := []struct {
		name   string
		body   any
		status int
		code   string
		issues string
	}{
		{"nothing", map[string]any{}, 400, "VALIDATION_ERROR", "slug required"},
		{"null", map[string]any{"slug": nil}, 400, "VALIDATION_ERROR", "slug required"},
		{"no slug", map[string]any{"slug": "../x", "config": ok}, 400, "VALIDATION_ERROR", "slug invalid"},
		{
			"wrong types",
			map[string]any{"slug": 1, "version": 1, "config": []any{}},
			400, "VALIDATION_ERROR", "slug wrong_type, version wrong_type, config wrong_type",
		},
		{"bad version", map[string]any{"slug": "aurora", "version": "1"}, 400, "VALIDATION_ERROR", "version invalid"},
		{"unknown", map[string]any{"slug": "none"}, 404, "NOT_FOUND", ""},
		{"unknown version", map[string]any{"slug": "aurora", "version": "1.0.1", "config": ok}, 404, "NOT_FOUND", ""},
		{"required config is missing", map[string]any{"slug": "aurora"}, 400, "VALIDATION_ERROR", "config.accent required"},
		{
			"config that breaks the schema",
			map[string]any{"slug": "aurora", "config": map[string]any{"columns": "3"}},
			400, "VALIDATION_ERROR", "config.columns wrong_type, config.accent required",
		},
		{
			"config that is too large",
			map[string]any{"slug": "aurora", "config": map[string]any{"accent": strings.Repeat("x", 70000)}},
			400, "VALIDATION_ERROR", "config out_of_range",
		},
	}
	for _, tt := range tests {
		res := a.Do(t, testkit.Post(admin, themes+"/shop/activate", tt.body))
		var issues []string
		if list, _ := res.JSON(t)["error"].(map[string]any)["details"].(map[string]any); list["issues"] != nil {
			for _, is := range list["issues"].([]any) {
				m := is.(map[string]any)
				issues = append(issues, fmt.Sprint(m["path"], " ", m["code"]))
			}
		}
		if got := strings.Join(issues, ", "); res.Status != tt.status || res.Text(t, "error.code") != tt.code ||
			got != tt.issues {
			t.Errorf("%s: %d %s", tt.name, res.Status, res.Body)
		}
	}
	if res := a.Do(t, testkit.Post(admin, themes+"/shop/activate", map[string]any{
		"slug": "aurora", "config": "x",
	})); res.Text(t, "error.message") != "Config must be an object" {
		t.Errorf("message = %s", res.Body)
	}
	for _, route := range []testkit.Request{
		testkit.Get("", themes+"/shop"), testkit.Post("", themes+"/shop/activate", nil),
		testkit.Post("", themes+"/shop/rollback", nil), testkit.Post("", themes+"/shop/deactivate", nil),
	} {
		wantError(t, a.Do(t, route), http.StatusUnauthorized, "UNAUTHORIZED")
		route.Token = user
		wantError(t, a.Do(t, route), http.StatusForbidden, "FORBIDDEN")
		route.Token, route.Path = admin, strings.Replace(route.Path, "shop", "moon", 1)
		if route.Body != nil || route.Method == http.MethodPost {
			route.Body = map[string]any{"slug": "aurora"}
		}
		wantError(t, a.Do(t, route), http.StatusNotFound, "NOT_FOUND")
	}
	if got := state(t, a.Do(t, testkit.Get(admin, themes+"/shop"))); got != "- | -" {
		t.Errorf("something was activated: %s", got)
	}
}

// Secret values are neither shown nor readable in the database, and reading a config
// and writing it back keeps them.
func TestThemeSecretsAreWriteOnly(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, db *sql.DB) {
		admin := a.Admin(t, "root").Access
		install(t, a, admin, "aurora", "1.0.0", map[string]any{"configSchema": map[string]any{
			"key": map[string]any{"type": "text", "sensitive": true, "required": true}, "accent": map[string]any{"type": "text"},
		}})
		activate := func(config map[string]any) testkit.Response {
			t.Helper()
			return a.Do(t, testkit.Post(admin, themes+"/shop/activate", map[string]any{"slug": "aurora", "config": config}))
		}
		activate(map[string]any{"key": "hunter2", "accent": "a"})
		want := `aurora 1.0.0 {"accent":"b","key":""} | aurora 1.0.0 {"accent":"a","key":""}`
		if got := state(t, activate(map[string]any{"key": "", "accent": "b"})); got != want {
			t.Errorf("state = %s, want %s", got, want)
		}
		if got := state(t, activate(map[string]any{"key": "", "accent": "b"})); got != want {
			t.Errorf("the same again: %s, want %s", got, want)
		}
		public := b.Do(t, testkit.Get("", active))
		if name(t, public.Get(t, "data")) != `aurora 1.0.0 {"accent":"b","key":""}` {
			t.Errorf("the other replica shows %s", public.Body)
		}
		var stored string
		err := db.QueryRowContext(t.Context(), `SELECT active_config_sealed || previous_config_sealed FROM theme_targets
			WHERE target = 'shop'`).Scan(&stored)
		if err != nil || stored == "" || strings.Contains(stored, "hunter2") || strings.Contains(stored, "accent") {
			t.Errorf("stored = %s, %v", stored, err)
		}
		var details string
		err = db.QueryRowContext(t.Context(), `SELECT max(details_json) FROM audit_log WHERE details_json LIKE '%hunter2%'
			OR details_json LIKE '%accent%'`).Scan(&details)
		if err == nil && details != "" {
			t.Errorf("the audit log has %s", details)
		}
	})
}

// However many administrators change the theme at once, on several replicas: each rollback swaps the
// state that the one before left, and the audit log agrees with the final state.
func TestChangesAtOnceAreOneAfterTheOther(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		admin := a.Admin(t, "root").Access
		install(t, a, admin, "aurora", "1.0.0", nil)
		install(t, a, admin, "boreal", "1.0.0", nil)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				on, slug := a, "aurora"
				if i%2 == 1 {
					on, slug = b, "boreal"
				}
				on.Do(t, testkit.Post(admin, themes+"/shop/activate", map[string]any{"slug": slug}))
				on.Do(t, testkit.Post(admin, themes+"/shop/rollback", nil))
				on.Do(t, testkit.Post(admin, themes+"/shop/deactivate", nil))
			})
		}
		all.Wait()
		was := "built-in"
		for _, line := range changes(t, a, admin) {
			_, change, _ := strings.Cut(line, " ")
			from, to, _ := strings.Cut(change, " → ")
			if from != was {
				t.Errorf("%s, but before it was %s", line, was)
			}
			was = to
		}
		if got := name(t, b.Do(t, testkit.Get("", active)).Get(t, "data")); !strings.HasPrefix(got, was) &&
			(was != "built-in" || got != "-") {
			t.Errorf("the shop shows %s, and the log ends with %s", got, was)
		}
	})
}
