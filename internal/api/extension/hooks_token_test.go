package extension_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/account/token"
	"stoa/internal/testkit"
)

// seen is the token of a hook, as an external plugin got it.
type seen struct{ hook, token, base string }

// tokens returns the tokens of the hooks that arrived.
func (k *hookKit) tokens(t *testing.T) []seen {
	t.Helper()
	var list []seen
	for _, c := range k.calls() {
		list = append(list, seen{c.path[strings.LastIndex(c.path, "/")+1:], c.token, c.platform})
	}
	return list
}

// stores puts a value with a token and returns the status.
func (k *hookKit) stores(t *testing.T, token string) int {
	t.Helper()
	r := testkit.Request{Method: http.MethodPut, Path: "/api/v1/platform/storage/k", Token: token, Body: "v"}
	return k.DoUnchecked(t, r).Status
}

// A hook's token works for the time of its delivery, even where the instance is disabled, deleted or
// uninstalled, with the permissions that it had, and not after a purge.
func TestHooksReachThePlatformUntilThePurge(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		k := newHookKit(t, a)
		res := k.install(t, map[string]any{"permissions": []string{"storage:write", "storage:read"}}, "")
		if res.Status != http.StatusCreated {
			t.Fatalf("install: %d %s", res.Status, res.Body)
		}
		path := k.path(t)
		want := func(hook string, status int) {
			t.Helper()
			k.quiet(t)
			var last seen
			for _, s := range k.tokens(t) {
				if s.hook == hook {
					last = s
				}
			}
			if last.token == "" || last.base != a.URL {
				t.Fatalf("%s has the token %q and the address %q, want %s", hook, last.token, last.base, a.URL)
			}
			k.forget()
			if got := k.stores(t, last.token); got != status {
				t.Errorf("%s: PUT = %d, want %d", hook, got, status)
			}
			a.Clock.Advance(testkit.AnswerLimit + time.Second + token.Leeway)
			if got := k.stores(t, last.token); got != http.StatusUnauthorized {
				t.Errorf("%s, after its time: PUT = %d", hook, got)
			}
		}
		k.quiet(t)
		want("onEnable", http.StatusCreated)
		k.do(t, testkit.Patch(k.admin, path, map[string]any{"enabled": false}))
		want("onDisable", http.StatusOK)
		k.do(t, testkit.Patch(k.admin, path, map[string]any{"grantedPermissions": []string{"storage:read"}}))
		k.do(t, testkit.Patch(k.admin, path, map[string]any{"enabled": true}))
		want("onEnable", http.StatusForbidden)
		k.do(t, testkit.Patch(k.admin, path, map[string]any{"grantedPermissions": []string{"storage:write"}}))
		two := k.instance(t, "two", true)
		k.quiet(t)
		k.forget()
		k.do(t, testkit.Delete(k.admin, two))
		want("onUninstall", http.StatusCreated)
		k.do(t, testkit.Delete(k.admin, pluginsPath+"hooked"))
		want("onUninstall", http.StatusOK)

		k.do(t, testkit.Post(k.admin, pluginsPath+"hooked/restore", nil))
		k.quiet(t)
		k.forget()
		k.do(t, testkit.Delete(k.admin, pluginsPath+"hooked?purge=true"))
		want("onUninstall", http.StatusUnauthorized)
	})
}

// Each hook has a token of its own, which does not end when its instance is disabled.
func TestTokensOfHooksOutliveTheirEnabling(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)
	k := newHookKit(t, a)
	k.install(t, map[string]any{"permissions": []string{"storage:write"}}, "")
	k.quiet(t)
	list := k.tokens(t)
	if len(list) != 2 || list[0].token == list[1].token {
		t.Fatalf("two hooks have %v, want a token each", list)
	}
	k.do(t, testkit.Patch(k.admin, k.path(t), map[string]any{"enabled": false}))
	if got := k.stores(t, list[0].token); got != http.StatusCreated {
		t.Errorf("disabled while a hook runs: PUT = %d", got)
	}
}

// A hook that is repeated, or replayed much later, does not bring back what an administrator has withdrawn
// since: a plugin could fail on purpose to keep a permission.
func TestWithdrawnPermissionsStayWithdrawnInHooks(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		k := newHookKit(t, a)
		k.answer = func(call) int { return http.StatusInternalServerError }
		k.install(t, map[string]any{"permissions": []string{"storage:write", "storage:read"}}, "")
		k.quiet(t)
		first := k.tokens(t)
		k.do(t, testkit.Patch(k.admin, k.path(t), map[string]any{"grantedPermissions": []string{"storage:read"}}))
		if got := k.stores(t, first[0].token); got != http.StatusForbidden {
			t.Errorf("withdrawn during the delivery: PUT = %d", got)
		}
		k.forget()
		k.later(10 * time.Second)
		k.quiet(t)
		again := k.tokens(t)
		if len(again) == 0 {
			t.Fatal("the hook was not repeated")
		}
		if got := k.stores(t, again[0].token); got != http.StatusForbidden {
			t.Errorf("withdrawn before it was repeated: PUT = %d", got)
		}
		if got := k.calls()[0].permissions; got != "storage:read" {
			t.Errorf("the repeated hook says that it has %q", got)
		}
	})
}
