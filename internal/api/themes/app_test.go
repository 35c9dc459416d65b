package themes_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/waittest"
)

// An active theme app of the shop answers at its address and at every address that is none
// of stoa's own.
func TestActiveAppAnswersAtTheRoot(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	installApp(t, a, admin, "theme-app-shop", echoApp(t, "corner", "1.0.0", nil))
	if s := get(t, a, "/theme-app/shop/corner/a%2Fb/c?x=1", nil); s.URL != "/a%2Fb/c?x=1" ||
		s.Headers["x-forwarded-prefix"] != "/theme-app/shop/corner" {
		t.Errorf("before it is active: %+v", s)
	}
	if s := get(t, a, "/somewhere", nil); s.Status != http.StatusNotFound {
		t.Errorf("at the root before it is active: %+v", s)
	}
	res := activate(t, a, admin, "shop", map[string]any{"slug": "corner"})
	if got := state(t, res); got != "corner 1.0.0 {} | -" {
		t.Fatal(got)
	}
	if base := res.Text(t, "data.active.baseUrl"); base != "/theme-app/shop/corner/" {
		t.Errorf("baseUrl = %s", base)
	}
	for path, want := range map[string]string{
		"/": "/", "/somewhere/else?q=%20": "/somewhere/else?q=%20", "/theme-app/shop/corner/": "/",
		"/theme-app/shop/corner/p/1": "/p/1", "/consoles/": "/consoles/",
	} {
		if s := get(t, a, path, nil); s.Status != http.StatusOK || s.URL != want {
			t.Errorf("%s = %d %s %s, want %s", path, s.Status, s.URL, s.Body, want)
		}
	}
	for path, want := range map[string]int{
		"/livez": 200, "/docs": 200, "/console": 200, "/console/": 200, "/openapi.json": 200, "/register": 200, "/payment/portal/x": 200, "/api/nothing": 404, "/auth/nothing": 404,
		"/.well-known/nothing": 404, "/api/marketplace/products": 200, "/theme-app/shop/other/": 404,
		"/theme-app/garden/corner/": 404, "/theme-app/admin/corner/": 404, "/theme-app/shop/corner": 307,
		"/themes/shop/corner/1.0.0/server.js": 404, "/themes/shop/corner/1.0.0/theme-app.json": 404,
		"/themes/": 404, "/themes/shop/corner": 404, "/%74hemes/x": 404, "/themes%2Fx": 404, "/media/": 404,
		"/theme-app/": 404, "/theme-app/shop": 404, "/%74heme-app/shop": 404,
	} {
		if s := get(t, a, path, nil); s.Status != want || s.Method != "" {
			t.Errorf("%s = %d %s, want %d by stoa", path, s.Status, s.Body, want)
		}
	}
	if s := get(t, a, "/products", nil); s.Status != http.StatusOK || !strings.Contains(s.Body, `"products"`) {
		t.Errorf("the app's call of stoa: %d %s", s.Status, s.Body)
	}
	if res := a.Do(t, testkit.Post(admin, themes+"/shop/deactivate", nil)); res.Status != http.StatusOK {
		t.Errorf("deactivate = %d %s", res.Status, res.Body)
	}
	if s := get(t, a, "/somewhere", nil); s.Status != http.StatusNotFound {
		t.Errorf("after it was deactivated: %+v", s)
	}
}

// An app that is not healthy is not shown, by an activation or a rollback, and nothing
// changes.
func TestUnhealthyAppIsNotShown(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, testkit.SoonUnhealthy)
	admin := a.Admin(t, "root").Access
	installApp(t, a, admin, "theme-app-shop", echoApp(t, "corner", "1.0.0", nil))
	for slug, program := range map[string]string{
		"throws": `throw new Error('no luck today')`, "leaves": `process.exitCode = 4`,
		"elsewhere": `require('http').createServer().listen(Number(process.env.PORT) + 1, '127.0.0.1').unref()`,
	} {
		installApp(t, a, admin, "theme-app-shop",
			testkit.ThemeApp(t, slug, "1.0.0", nil, map[string]string{"server.js": program}))
	}
	install(t, a, admin, "aurora", "1.0.0", nil)
	activate(t, a, admin, "shop", map[string]any{"slug": "corner"})
	activate(t, a, admin, "shop", map[string]any{"slug": "aurora"})
	before := state(t, a.Do(t, testkit.Get(admin, themes+"/shop")))
	for _, tt := range []struct {
		body   map[string]any
		reason string
	}{
		{map[string]any{"slug": "corner", "config": map[string]any{"sick": true}}, "GET /health answers 500"},
		{map[string]any{"slug": "throws"}, "no luck today"},
		{map[string]any{"slug": "leaves"}, "ended with code 4 before it listened"},
		{map[string]any{"slug": "elsewhere"}, "listens at port 3001 instead"},
	} {
		res := activate(t, a, admin, "shop", tt.body)
		wantError(t, res, http.StatusUnprocessableEntity, "THEME_UNHEALTHY")
		if reason := res.Text(t, "error.details.reason"); !strings.Contains(reason, tt.reason) {
			t.Errorf("%v: reason = %s, want %s", tt.body, reason, tt.reason)
		}
	}
	if got := state(t, a.Do(t, testkit.Get(admin, themes+"/shop"))); got != before {
		t.Errorf("state = %s, want %s", got, before)
	}
	if s := get(t, a, "/somewhere", nil); s.Status != http.StatusNotFound {
		t.Errorf("an app answers: %+v", s)
	}
}

// The version that is shown is replaced only by an app that is healthy; any other version by
// anything.
func TestTheActiveVersionIsReplacedByAHealthyOne(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	running(t, a, admin)
	again := func(archive []byte) testkit.Response {
		return a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: "/api/v1/admin/extensions/theme-app-shop/install?replace=true", Token: admin,
			Body: archive, Header: http.Header{"Content-Type": {"application/zip"}},
		})
	}
	broken := testkit.ThemeApp(t, "corner", "1.0.0", nil, map[string]string{"server.js": `throw new Error('no luck')`})
	wantError(t, again(broken), http.StatusUnprocessableEntity, "THEME_UNHEALTHY")
	if s := get(t, a, "/still", nil); s.Status != http.StatusOK || s.URL != "/still" {
		t.Errorf("the app = %+v", s)
	}
	better := testkit.ThemeApp(t, "corner", "1.0.0", nil, map[string]string{
		"server.js": strings.ReplaceAll(echo, "VERSION", "'better'"),
	})
	if res := again(better); res.Status != http.StatusOK {
		t.Errorf("replace = %d %s", res.Status, res.Body)
	}
	if s := get(t, a, "/still", nil); s.Version != "better" {
		t.Errorf("the app = %+v", s)
	}
	a.Do(t, testkit.Post(admin, themes+"/shop/deactivate", nil))
	if res := again(broken); res.Status != http.StatusOK {
		t.Errorf("replace of what is not shown = %d %s", res.Status, res.Body)
	}
}

// A version with a config runs beside the others; which one answers follows from the
// activations, and an active app cannot be removed.
func TestAppVersionsAndConfigs(t *testing.T) {
	t.Parallel()

	logged := new(logtest.Buffer)
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Log = logged.Logger() })
	admin := a.Admin(t, "root").Access
	schema := map[string]any{
		"defaultConfig": map[string]any{"color": "red"},
		"configSchema": map[string]any{
			"color": map[string]any{"type": "string"}, "key": map[string]any{"type": "string", "secret": true},
		},
	}
	installApp(t, a, admin, "theme-app-shop", echoApp(t, "corner", "2.0.0", schema))
	installApp(t, a, admin, "theme-app-shop", echoApp(t, "corner", "1.0.0", schema))
	shows := func(version, config string) {
		t.Helper()
		var env map[string]string
		if s := get(t, a, "/env", nil); json.Unmarshal([]byte(s.Body), &env) != nil || env["STOA_THEME_CONFIG"] != config {
			t.Errorf("config = %s of %d, want %s", env["STOA_THEME_CONFIG"], s.Status, config)
		}
		if s := get(t, a, "/", nil); s.Version != version {
			t.Errorf("version = %+v, want %s", s, version)
		}
	}
	secret := map[string]any{"color": "blue", "key": "hunter2-hunter2"}
	activate(t, a, admin, "shop", map[string]any{"slug": "corner", "version": "1.0.0", "config": secret})
	shows("1.0.0", `{"color":"blue","key":"hunter2-hunter2"}`)
	res := activate(t, a, admin, "shop", map[string]any{"slug": "corner"})
	if got := state(t, res); got != `corner 2.0.0 {"color":"red"} | corner 1.0.0 {"color":"blue","key":""}` {
		t.Error(got)
	}
	shows("2.0.0", `{"color":"red"}`)
	a.Do(t, testkit.Post(admin, themes+"/shop/rollback", nil))
	shows("1.0.0", `{"color":"blue","key":"hunter2-hunter2"}`)
	one := a.Do(t, testkit.Get(admin, "/api/v1/admin/extensions/theme-app-shop/corner"))
	var shown struct {
		Data struct {
			Entry    string
			Versions []struct {
				Version string
				Active  bool
			}
		}
	}
	if err := json.Unmarshal(one.Body, &shown); err != nil || shown.Data.Entry != "server.js" ||
		fmt.Sprint(shown.Data.Versions) != "[{2.0.0 false} {1.0.0 true}]" {
		t.Errorf("theme = %s", one.Body)
	}
	remove := testkit.Delete(admin, "/api/v1/admin/extensions/theme-app-shop/corner?purge=true")
	wantError(t, a.Do(t, remove), http.StatusConflict, "THEME_ACTIVE")
	a.Do(t, testkit.Post(admin, themes+"/shop/deactivate", nil))
	if res := a.Do(t, remove); res.Status != http.StatusOK {
		t.Errorf("purge = %d %s", res.Status, res.Body)
	}
	if s := get(t, a, "/theme-app/shop/corner/", nil); s.Status != http.StatusNotFound {
		t.Errorf("after it was purged: %+v", s)
	}
	if text := logged.String(); strings.Contains(text, "hunter2") || !strings.Contains(text, "theme app says") {
		t.Error("the log has a secret, or nothing of the app")
	}
}

// A program that ends is started again, and a call may find it starting meanwhile.
func TestAppIsStartedAgain(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	installApp(t, a, admin, "theme-app-admin", echoApp(t, "desk", "1.0.0", nil))
	activate(t, a, admin, "admin", map[string]any{"slug": "desk"})
	const at = "/theme-app/admin/desk/"
	if s := get(t, a, at+"exit", nil); s.Status != http.StatusBadGateway || !strings.Contains(s.Body, "THEME_APP_UNREACHABLE") {
		t.Errorf("the call that ended it: %+v", s)
	}
	waittest.True(t, "another process answers", func() bool {
		s := get(t, a, at, nil)
		return s.Status == http.StatusOK && s.Version == "1.0.0"
	})
	if s := get(t, a, "/", http.Header{"Accept": {"text/html"}}); s.Method != "" {
		t.Errorf("the admin app answers at the root: %+v", s)
	}
}

// While the shop's app does not answer, people get a page and programs an error.
func TestShopIsAwayWhileItsAppDoesNotAnswer(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	running(t, a, admin)
	people := get(t, a, "/exit", http.Header{"Accept": {"text/html,*/*;q=0.8"}})
	if people.Status != http.StatusBadGateway || !strings.Contains(people.Body, "<h1>Back in a moment</h1>") ||
		people.Header.Get("Retry-After") == "" {
		t.Errorf("a browser gets %+v", people)
	}
	waittest.True(t, "it answers again", func() bool { return get(t, a, "/", nil).Status == http.StatusOK })
	if s := get(t, a, "/exit", nil); s.Status != http.StatusBadGateway || !strings.Contains(s.Body, "THEME_APP_UNREACHABLE") {
		t.Errorf("a program gets %+v", s)
	}
}

// Every replica shows what was activated on any, and starts it by itself.
func TestReplicasFollowTheActiveApp(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		dir := t.TempDir()
		var at string
		shared := append(options, func(_ testing.TB, cfg *app.Config) {
			cfg.DataDir = dir
			if at == "" {
				at = cfg.DatabaseURL
			}
			cfg.DatabaseURL = at
		})
		a, b := testkit.New(t, shared...), testkit.New(t, shared...)
		admin := a.Admin(t, "root").Access
		installApp(t, a, admin, "theme-app-shop", echoApp(t, "corner", "1.0.0", nil))
		installApp(t, b, admin, "theme-app-shop", echoApp(t, "corner", "2.0.0", nil))
		for _, version := range []string{"1.0.0", "2.0.0"} {
			res := activate(t, a, admin, "shop", map[string]any{"slug": "corner", "version": version})
			if res.Status != http.StatusOK {
				t.Fatalf("activate = %d %s", res.Status, res.Body)
			}
			waittest.True(t, "the other replica shows it", func() bool {
				s := get(t, b, "/", nil)
				if s.Status == http.StatusOK && s.Version != version {
					t.Fatalf("it shows %+v", s)
				}
				return s.Version == version
			})
		}
		var env map[string]string
		if s := get(t, a, "/env", nil); json.Unmarshal([]byte(s.Body), &env) != nil {
			t.Fatalf("env = %+v", s)
		}
		if s := get(t, b, "/env", nil); !strings.Contains(s.Body, env["STOA_THEME_APP_TOKEN"]) {
			t.Errorf("the replicas give different tokens")
		}
	})
}

// The storefront's pages make way for an active theme app, whatever the method, and come
// back after it.
func TestAnAppTakesOverThePagesOfTheStorefront(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.ImportCatalog(t)
	admin := a.Admin(t, "root").Access
	running(t, a, admin)
	paths := []string{
		"/", "/p/mail-pack", "/p/nothing", "/checkout/mail-pack/once", "/orders", "/orders/x", "/licenses", "/licenses/x", "/account", "/sign-in",
	}
	for _, path := range paths {
		if s := get(t, a, path, http.Header{"Accept": {"text/html"}}); s.URL != path {
			t.Errorf("the app did not get %s: %d %.200s", path, s.Status, s.Body)
		}
		res := a.DoUnchecked(t, testkit.Request{Method: http.MethodPost, Path: path, Body: "a=1"})
		if !strings.Contains(string(res.Body), `"method":"POST"`) {
			t.Errorf("the app did not get POST %s: %d %.200s", path, res.Status, res.Body)
		}
	}
	a.Do(t, testkit.Post(admin, themes+"/shop/deactivate", nil))
	if s := get(t, a, "/p/mail-pack", nil); s.Status != http.StatusOK || !strings.Contains(s.Body, "Mail Pack") {
		t.Errorf("afterwards, the page = %d %.200s", s.Status, s.Body)
	}
	res := a.DoUnchecked(t, testkit.Request{Method: http.MethodPost, Path: "/account"})
	if res.Status != http.StatusMethodNotAllowed {
		t.Errorf("afterwards, POST /account = %d", res.Status)
	}
}
