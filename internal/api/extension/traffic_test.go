package extension_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stoa/internal/testkit"
)

const trafficPath = "/api/v1/admin/plugins/shaky/traffic"

// shaky is an App with a plugin that answers 500 below /api/fail.
func shaky(tb testing.TB) (app *testkit.App, admin string) {
	tb.Helper()
	app = testkit.New(tb)
	admin = app.Admin(tb, "root").Access
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/fail" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	tb.Cleanup(srv.Close)
	res := app.Install(tb, admin, "plugin", testkit.PluginArchive(tb, testkit.ExternalManifest("shaky", srv.URL), nil))
	if res.Status != http.StatusCreated {
		tb.Fatalf("install: %d %s", res.Status, res.Body)
	}
	return app, admin
}

func visit(tb testing.TB, app *testkit.App, path string, status int) {
	tb.Helper()
	if res := app.Do(tb, testkit.Get("", "/api/v1/shop/plugins/"+path)); res.Status != status {
		tb.Fatalf("%s: %d %s", path, res.Status, res.Body)
	}
}

// counted is a summary, of a report or of a point.
type counted struct {
	Calls, Errors int
	ErrorShare    float64
	P95Ms         *float64
}

func (c counted) is(tb testing.TB, what string, calls, failed int) {
	tb.Helper()
	if c.Calls != calls || c.Errors != failed {
		tb.Errorf("%s: %d calls, %d errors, want %d and %d", what, c.Calls, c.Errors, calls, failed)
	}
	if (c.P95Ms != nil) != (calls > 0) || c.P95Ms != nil && *c.P95Ms <= 0 {
		tb.Errorf("%s: p95 is %v", what, c.P95Ms)
	}
}

type window struct {
	counted

	Points []counted
}

type part struct {
	Slug, InstallationID string
	Hour, Day            counted
}

type report struct {
	InstallationID         string
	Hour, Day              window
	Installations, Plugins []part
}

func readTraffic(tb testing.TB, app *testkit.App, admin, path string) report {
	tb.Helper()
	res := app.Do(tb, testkit.Get(admin, path))
	var body struct{ Data report }
	if err := json.Unmarshal(res.Body, &body); err != nil || res.Status != http.StatusOK {
		tb.Fatalf("%d %s", res.Status, res.Body)
	}
	return body.Data
}

func TestTrafficOfAPlugin(t *testing.T) {
	t.Parallel()
	app, admin := shaky(t)
	res := app.Do(t, testkit.Post(admin, "/api/v1/admin/plugins/shaky/instances", map[string]any{"instanceKey": "eu"}))
	eu := res.Text(t, "data.installationId")

	readTraffic(t, app, admin, trafficPath).Day.is(t, "before the first call", 0, 0)
	visit(t, app, "shaky/api/x", 200)
	visit(t, app, "shaky/api/fail", 500)
	app.Clock.Advance(2 * time.Hour)
	visit(t, app, "shaky/api/x", 200)
	visit(t, app, "shaky/api/x?installation=eu", 200)
	visit(t, app, "shaky/api/x?installation=gone", 404)
	visit(t, app, "nothing/api/x", 404)

	got := readTraffic(t, app, admin, trafficPath)
	got.Hour.is(t, "hour", 2, 0)
	got.Day.is(t, "day", 4, 1)
	got.Hour.Points[59].is(t, "this minute", 2, 0)
	got.Day.Points[21].is(t, "two hours ago", 2, 1)
	got.Day.Points[22].is(t, "one hour ago", 0, 0)
	if got.Day.ErrorShare != 0.25 {
		t.Errorf("the share of errors is %v", got.Day.ErrorShare)
	}
	if len(got.Installations) != 2 || got.Installations[1].InstallationID != eu {
		t.Fatalf("installations: %+v", got.Installations)
	}
	got.Installations[0].Day.is(t, "the worst installation", 3, 1)

	of := readTraffic(t, app, admin, trafficPath+"?installationId="+eu)
	of.Day.is(t, "one installation", 1, 0)
	if of.InstallationID != eu || of.Installations != nil {
		t.Errorf("of one installation: %+v", of)
	}
}

func TestTrafficOfAllPlugins(t *testing.T) {
	t.Parallel()
	app, admin := shaky(t)
	other := testkit.PluginArchive(t, testkit.ExternalManifest("away", "http://127.0.0.1:9"), nil)
	if res := app.Install(t, admin, "plugin", other); res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	visit(t, app, "shaky/api/x", 200)
	visit(t, app, "shaky/api/x", 200)
	visit(t, app, "away/api/x", 502)
	visit(t, app, "nothing/api/x", 404)

	got := readTraffic(t, app, admin, "/api/v1/admin/traffic")
	got.Hour.is(t, "hour", 3, 1)
	if len(got.Plugins) != 2 || got.Plugins[0].Slug != "away" {
		t.Fatalf("plugins: %+v", got.Plugins)
	}
	got.Plugins[1].Day.is(t, "the other plugin", 2, 0)
}

func TestTrafficIsForAdministrators(t *testing.T) {
	t.Parallel()
	app, admin := shaky(t)
	user := app.Register(t, "ada").Access
	for _, tt := range []struct {
		token, path string
		status      int
	}{
		{"", trafficPath, 401},
		{user, trafficPath, 403},
		{user, "/api/v1/admin/traffic", 403},
		{admin, "/api/v1/admin/plugins/nothing/traffic", 404},
		{admin, trafficPath + "?installationId=nothing", 404},
		{admin, trafficPath, 200},
	} {
		if res := app.Do(t, testkit.Get(tt.token, tt.path)); res.Status != tt.status {
			t.Errorf("%s: %d, want %d", tt.path, res.Status, tt.status)
		}
	}
}
