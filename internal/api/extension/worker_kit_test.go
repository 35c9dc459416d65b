package extension_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// withWorker returns a token of an administrator who installed the internal plugin
// worker with that entry module, and what the install answered.
func withWorker(tb testing.TB, a *testkit.App, entry string) (admin string, res testkit.Response) {
	tb.Helper()
	admin = a.Admin(tb, "root").Access
	manifest := testkit.InternalManifest("worker", "index.js")
	manifest["configSchema"] = map[string]any{
		"mode":   map[string]any{"type": "string"},
		"apiKey": map[string]any{"type": "secret"},
	}
	res = a.Install(tb, admin, "plugin", testkit.PluginArchive(tb, manifest, map[string]string{"index.js": entry}))
	if res.Status != http.StatusCreated {
		tb.Fatalf("install: %d\n%s", res.Status, res.Body)
	}
	return admin, res
}

const worker = "/api/v1/admin/plugins/worker"

func realTime(_ testing.TB, cfg *app.Config) { cfg.Now = time.Now }

func shopGet(a *testkit.App, tb testing.TB, path string) testkit.Response {
	tb.Helper()
	return a.DoUnchecked(tb, testkit.Request{Method: "GET", Path: "/api/v1/shop/plugins/worker/api" + path})
}

func changeInstance(admin, id string, body any) testkit.Request {
	return testkit.Request{Method: "PATCH", Path: worker + "/instances/" + id, Token: admin, Body: body}
}

// wantAttention waits until the overview tells of a failing instance with that text.
func wantAttention(tb testing.TB, a *testkit.App, admin, text string) {
	tb.Helper()
	waittest.Until(tb, "attention", func() error {
		body := string(a.Do(tb, testkit.Get(admin, "/api/v1/admin/overview")).Body)
		if strings.Contains(body, `"instance.failing"`) && strings.Contains(body, text) {
			return nil
		}
		return errors.New(body)
	})
}

// untilFailing waits until an instance is shown as failing, with the reason.
func untilFailing(tb testing.TB, a *testkit.App, admin, id string) (shown testkit.Response) {
	tb.Helper()
	waittest.Until(tb, "the failure", func() error {
		shown = a.Do(tb, testkit.Get(admin, worker+"/instances/"+id))
		if shown.Get(tb, "data.runtime.state") == "failing" && shown.Get(tb, "data.runtime.lastError") != nil {
			return nil
		}
		return errors.New(string(shown.Body))
	})
	return shown
}

func changeSettings(tb testing.TB, a *testkit.App, admin string, settings map[string]any) {
	tb.Helper()
	res := a.Do(tb, testkit.Request{Method: "PATCH", Path: worker, Token: admin, Body: settings})
	for name, want := range settings {
		if got := res.Get(tb, "data.settings."+name); got != want {
			tb.Fatalf("%s is %v, want %v: %d %s", name, got, want, res.Status, res.Body)
		}
	}
}
