package extension_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

func TestHooksAreSignedAndSayWhatTheyAreAbout(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		k := newHookKit(t, a)
		k.answer = func(c call) int { return http.StatusServiceUnavailable }
		k.install(t, nil, "")
		k.quiet(t)
		secret := k.Do(t, testkit.Get(k.admin, pluginsPath+"hooked/secret")).Text(t, "data.secret")
		k.mu.Lock()
		k.answer, k.secret = nil, secret
		k.mu.Unlock()
		id := strings.TrimPrefix(k.path(t), pluginsPath+"hooked/instances/")
		k.do(t, testkit.Patch(k.admin, k.path(t), map[string]any{"config": map[string]any{"apiKey": "new"}}))
		k.later(6 * time.Second)
		k.quiet(t)
		k.install(t, map[string]any{"version": "1.1.0"}, "")
		k.quiet(t)

		var got []string
		ids := make(map[string][]string)
		for _, c := range k.calls() {
			name := strings.TrimPrefix(c.path, "/svc/__lifecycle/")
			body, _ := json.Marshal(c.body)
			got = append(got, fmt.Sprintf("%s %s %s", name, c.attempt, body))
			ids[name] = append(ids[name], c.id)
		}
		// The config is that of the time of the change.
		then := `{"config":{},"installationId":"` + id + `","instanceKey":"default","pluginSlug":"hooked"}`
		want := []string{
			"onInstall 1 " + then, "onInstall 2 " + then, "onEnable 1 " + then,
			`onUpgrade 1 {"config":{"apiKey":"new"},"installationId":"` + id +
				`","instanceKey":"default","pluginSlug":"hooked","previousVersion":"1.0.0"}`,
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("calls (-got +want):\n%s", diff)
		}
		if list := ids["onInstall"]; len(list) != 2 || list[0] == "" || list[0] != list[1] {
			t.Errorf("onInstall has the ids %q, want one for both attempts", list)
		}
	})
}

// A plugin that is down gets its last hooks when it is back, even if everything else of it was removed
// meanwhile.
func TestTheLastHooksOutliveThePackage(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		k := newHookKit(t, a)
		k.install(t, nil, "")
		path := k.instance(t, "b", true)
		k.quiet(t)
		k.forget()
		secret := k.Do(t, testkit.Get(k.admin, pluginsPath+"hooked/secret")).Text(t, "data.secret")
		k.mu.Lock()
		k.secret, k.onlyEnds = secret, true // the next package of the slug has a secret of its own
		k.answer = func(call) int { return http.StatusBadGateway }
		k.mu.Unlock()
		k.do(t, testkit.Delete(k.admin, path))
		k.do(t, testkit.Delete(k.admin, pluginsPath+"hooked?purge=true"))
		k.quiet(t)
		if got := k.install(t, map[string]any{"name": "another of the same slug"}, ""); got.Status != http.StatusCreated {
			t.Fatalf("install after a purge: %d %s", got.Status, got.Body)
		}
		k.quiet(t)
		k.forget()
		k.mu.Lock()
		k.answer = nil
		k.mu.Unlock()
		k.later(time.Hour)
		k.quiet(t)
		var old []string
		for _, c := range k.calls() {
			if c.attempt != "1" || strings.HasSuffix(c.path, "onUninstall") {
				old = append(old, c.key+" "+strings.TrimPrefix(c.path, "/svc/__lifecycle/"))
			}
		}
		want := []string{"b onDisable", "b onUninstall", "default onDisable", "default onUninstall", "default onInstall"}
		slices.Sort(want)
		slices.Sort(old)
		if diff := cmp.Diff(old, want); diff != "" {
			t.Errorf("hooks (-got +want):\n%s", diff)
		}
		var left int
		waittest.True(t, "nothing is kept", func() bool {
			err := k.DB.Conn().Read.QueryRowContext(t.Context(), `SELECT count(*) FROM plugin_remains`).Scan(&left)
			return err == nil && left == 0
		})
		list := k.do(t, testkit.Get(k.admin, pluginsPath+"hooked/hooks?limit=100"))
		if strings.Contains(string(list.Body), "of b") {
			t.Error("the list of hooks shows a secret")
		}
	})
}

func TestFailedHooksAreShownAndReplayed(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		k := newHookKit(t, a)
		k.answer = func(c call) int { return http.StatusTeapot }
		k.install(t, nil, "")
		k.quiet(t)
		instance := k.path(t)
		warning := k.do(t, testkit.Get(k.admin, instance)).Text(t, "data.lifecycleWarning")
		if warning != "The hook onInstall has failed (answered 418): stoa tries again." {
			t.Errorf("lifecycleWarning = %q", warning)
		}
		for range 14 { // seven attempts for each of the two hooks
			k.later(11 * time.Hour)
			k.quiet(t)
		}
		res := k.do(t, testkit.Get(k.admin, pluginsPath+"hooked/hooks?state=dead"))
		if n := res.Get(t, "data.pagination.total"); n != float64(2) {
			t.Fatalf("%v dead hooks, want 2: %s", n, res.Body)
		}
		first := items(t, res)[1]
		attempts := first["attempts"].([]any)
		if first["name"] != "onInstall" || len(attempts) != 7 || attempts[6].(map[string]any)["status"] != float64(418) {
			t.Errorf("dead hooks = %s", res.Body)
		}
		warning = k.do(t, testkit.Get(k.admin, instance)).Text(t, "data.lifecycleWarning")
		if !strings.Contains(warning, "onInstall has failed 7 times") || !strings.Contains(warning, "given it up") {
			t.Errorf("lifecycleWarning = %q", warning)
		}
		k.mu.Lock()
		k.answer, k.got = nil, nil
		k.mu.Unlock()
		since := map[string]any{"since": testkit.T0.Format(time.RFC3339)}
		replayed := k.do(t, testkit.Post(k.admin, pluginsPath+"hooked/hooks/replay", since))
		if n := replayed.Get(t, "data.replayed"); n != float64(2) {
			t.Errorf("%v replayed, want 2", n)
		}
		k.quiet(t)
		one := k.do(t, testkit.Post(k.admin, "/api/v1/admin/hooks/"+first["id"].(string)+"/replay", nil))
		if one.Text(t, "data.name") != "onInstall" {
			t.Errorf("replay answered %s", one.Body)
		}
		k.quiet(t)
		if diff := cmp.Diff(k.names(), []string{"default onInstall", "default onEnable", "default onInstall"}); diff != "" {
			t.Errorf("calls (-got +want):\n%s", diff)
		}
		if got := k.calls()[0].attempt; got != "8" {
			t.Errorf("attempt %s after the replay, want the eighth", got)
		}
		if body := k.do(t, testkit.Get(k.admin, instance)).Body; strings.Contains(string(body), "lifecycleWarning") {
			t.Errorf("the warning stays: %s", body)
		}
	})
}

func TestHookRoutesRefuse(t *testing.T) {
	t.Parallel()

	k := newHookKit(t, testkit.New(t))
	k.install(t, nil, "")
	user := k.Register(t, "ada").Access
	for _, tt := range []struct {
		name   string
		r      testkit.Request
		status int
		code   string
	}{
		{"unknown plugin", testkit.Get(k.admin, pluginsPath+"nobody/hooks"), 404, "NOT_FOUND"},
		{"unknown delivery", testkit.Post(k.admin, "/api/v1/admin/hooks/nothing/replay", nil), 404, "NOT_FOUND"},
		{"unknown state", testkit.Get(k.admin, pluginsPath+"hooked/hooks?state=lost"), 400, "VALIDATION_ERROR"},
		{"no time", testkit.Post(k.admin, pluginsPath+"hooked/hooks/replay", map[string]any{}), 400, "VALIDATION_ERROR"},
		{"not a time", testkit.Post(k.admin, pluginsPath+"hooked/hooks/replay", map[string]any{"since": "today"}), 400, "VALIDATION_ERROR"},
		{"unknown plugin to replay", testkit.Post(k.admin, pluginsPath+"nobody/hooks/replay", map[string]any{"since": "2030-01-01T00:00:00Z"}), 404, "NOT_FOUND"},
		{"a user", testkit.Get(user, pluginsPath+"hooked/hooks"), 403, "FORBIDDEN"},
		{"a guest", testkit.Post("", "/api/v1/admin/hooks/nothing/replay", nil), 401, "UNAUTHORIZED"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			testkit.WantError(t, k.Do(t, tt.r), tt.status, tt.code)
		})
	}
	if res := k.Do(t, testkit.Get(k.admin, pluginsPath+"hooked/hooks?installationId=other")); res.Status != http.StatusOK {
		t.Errorf("no hooks of an instance: %d %s", res.Status, res.Body)
	}
}

// A change that is rolled back sends no hook.
func TestUndoneChangesTellNothing(t *testing.T) {
	t.Parallel()

	k := newHookKit(t, testkit.New(t))
	k.install(t, nil, "")
	k.quiet(t)
	k.forget()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.Plugins.Uninstall(ctx, "hooked"); err == nil {
		t.Fatal("an uninstall without time has succeeded")
	}
	k.quiet(t)
	if got := k.names(); len(got) != 0 {
		t.Errorf("the plugin got %v", got)
	}
}
