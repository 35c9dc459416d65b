package extension_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// appBundle is a bundle with the plugin pay and a theme app that it activates.
func appBundle(tb testing.TB, server string) []byte {
	tb.Helper()
	return testkit.Bundle(tb, testkit.BundleManifest("starter", "1.0.0",
		payItem(object{"instanceKey": "default", "config": object{"apiKey": "k"}}),
		object{"kind": "theme-app-shop", "path": "app.zip", "activate": true},
	), map[string][]byte{
		"items/pay.zip": pay(tb, "1.0.0"), "app.zip": testkit.ThemeApp(tb, "corner", "1.0.0", nil, map[string]string{
			"server.js": server,
		}),
	})
}

// A bundle activates a theme app only after it answered its health check; otherwise
// nothing of the bundle is left.
func TestABundleTriesTheAppThatItActivates(t *testing.T) {
	t.Parallel()
	a := testkit.New(t, testkit.SoonUnhealthy)
	admin := a.Admin(t, "root").Access
	active := func() any {
		return a.Do(t, testkit.Get("", "/api/v1/shop/themes/active")).Get(t, "data")
	}

	const answers = `require('http').createServer((req, res) => { res.statusCode = %; res.end('hello') }).listen(process.env.PORT, process.env.HOST)`
	res := a.Install(t, admin, "bundle", appBundle(t, strings.Replace(answers, "%", "503", 1)))
	testkit.WantError(t, res, http.StatusBadRequest, "INVALID_BUNDLE")
	if got := res.Text(t, "error.message"); testkit.IssuePaths(t, res) != "items[1].path" || !strings.Contains(got, "503") {
		t.Errorf("an app that is not healthy = %s", res.Body)
	}
	if list := leftovers(t, a.DataDir); len(list) > 0 || active() != nil {
		t.Errorf("left over: %v, active: %v", list, active())
	}

	res = a.Install(t, admin, "bundle", appBundle(t, strings.Replace(answers, "%", "200", 1)))
	if got := results(t, res, "data.items"); res.Status != http.StatusCreated || !strings.Contains(got, "theme-app-shop corner 1.0.0 installed") {
		t.Fatalf("install = %d %s", res.Status, res.Body)
	}
	if shown, _ := active().(object); shown["slug"] != "corner" {
		t.Errorf("active: %v", shown)
	}
	page := a.DoUnchecked(t, testkit.Get("", "/theme-app/shop/corner/"))
	if page.Status != http.StatusOK || string(page.Body) != "hello" {
		t.Errorf("the app = %d %s", page.Status, page.Body)
	}
	res = a.Install(t, admin, "bundle", appBundle(t, strings.Replace(answers, "%", "200", 1)))
	if res.Status != http.StatusOK || res.Get(t, "data.duplicate") != true {
		t.Errorf("again = %d %s", res.Status, res.Body)
	}
	res = a.Do(t, testkit.Request{Method: http.MethodDelete, Path: starter + "?items=true", Token: admin})
	testkit.WantError(t, res, http.StatusConflict, "THEME_ACTIVE")
}
