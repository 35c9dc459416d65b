package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// asking is a shop with an administrator and an operator, who may install plugins and not give them everything.
type asking struct {
	a               *testkit.App
	admin, operator string
}

func newAsking(t *testing.T, a *testkit.App) asking {
	t.Helper()
	admin, oscar := a.Admin(t, "root").Access, a.Register(t, "oscar")
	if res := a.Do(t, testkit.Patch(admin, "/api/v1/admin/users/"+oscar.UserID, `{"role":"OPERATOR"}`)); res.Status != http.StatusOK {
		t.Fatalf("role = %d %s", res.Status, res.Body)
	}
	return asking{a, admin, a.Login(t, "oscar").Access}
}

// install installs a version of the plugin crm, and returns the id of its default instance, which is off.
func (s asking) install(t *testing.T, token, version string, permissions ...string) string {
	t.Helper()
	m := testkit.ExternalManifest("crm", "http://127.0.0.1:1")
	m["version"], m["permissions"] = version, permissions
	res := s.a.Do(t, testkit.Request{
		Method: http.MethodPost, Path: "/api/v1/admin/extensions/plugin/install?replace=true", Token: token,
		Body: testkit.PluginArchive(t, m, nil), Header: http.Header{"Content-Type": {"application/zip"}},
	})
	if res.Status >= 300 {
		t.Fatalf("install %s = %d %s", version, res.Status, res.Body)
	}
	id := res.Text(t, "data.defaultInstance.installationId")
	s.patch(t, id, `{"enabled":false}`)
	return id
}

func (s asking) patch(t *testing.T, id, body string) {
	t.Helper()
	if res := s.a.Do(t, testkit.Patch(s.admin, "/api/v1/admin/plugins/crm/instances/"+id, body)); res.Status != http.StatusOK {
		t.Fatalf("%s = %d %s", body, res.Status, res.Body)
	}
}

// want compares what the overview says to an administrator, and what an instance shows, with a list in fmt's writing.
func (s asking) want(t *testing.T, what, id, list string) {
	t.Helper()
	message, shown := "", "[]"
	concerns, _ := s.a.Do(t, testkit.Get(s.admin, "/api/v1/admin/overview")).Get(t, "data.attention").([]any)
	for _, one := range concerns {
		if c, _ := one.(map[string]any); c["kind"] == "plugin.asks_for_more" {
			message = fmt.Sprint(c["slug"], " ", c["installationId"], " ", c["message"])
		}
	}
	in, _ := s.a.Do(t, testkit.Get(s.admin, "/api/v1/admin/plugins/crm/instances/"+id)).Get(t, "data").(map[string]any)
	if waits, ok := in["undecidedPermissions"]; ok {
		shown = fmt.Sprint(waits)
	}
	wantMessage := ""
	if list != "[]" {
		wantMessage = "crm " + id + " crm asks for more, and nobody has decided: " + strings.ReplaceAll(list[1:len(list)-1], " ", ", ") + "."
	}
	if shown != list || message != wantMessage {
		t.Errorf("%s: waiting are %s, want %s; the overview says %q", what, shown, list, message)
	}
}

// What whoever installs a plugin may not give it waits, until somebody who may decides, and is not asked about again.
func TestAPluginThatAsksForMoreThanItsInstallerMayGiveWaitsForADecision(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		s := newAsking(t, a)
		id := s.install(t, s.operator, "1.0.0", "products:read", "users:read")
		s.want(t, "installed by an operator", id, "[users:read]")
		list, _ := a.Do(t, testkit.Get(s.operator, "/api/v1/admin/overview")).Get(t, "data.attention").([]any)
		for _, one := range list {
			if c, _ := one.(map[string]any); c["kind"] == "plugin.asks_for_more" {
				t.Errorf("the operator, who cannot decide, is told %v", c["message"])
			}
		}
		s.patch(t, id, `{"config":null}`)
		s.want(t, "after a change of something else", id, "[users:read]")
		s.patch(t, id, `{"grantedPermissions":["products:read"]}`)
		s.want(t, "after a no", id, "[]")

		s.install(t, s.operator, "2.0.0", "products:read", "users:read")
		s.want(t, "a version that asks for the same", id, "[]")
		s.install(t, s.operator, "3.0.0", "products:read", "users:read", "events:subscribe", "storage:read")
		s.want(t, "a version that asks for more", id, "[events:subscribe]")
		if res := a.Do(t, testkit.Post(s.admin, "/api/v1/admin/plugins/crm/rollback", nil)); res.Status != http.StatusOK {
			t.Fatalf("rollback = %d %s", res.Status, res.Body)
		}
		s.want(t, "back at the version before", id, "[]")
		s.patch(t, id, `{"grantedPermissions":["products:read","users:read"]}`)
		s.install(t, s.admin, "3.0.1", "products:read", "users:read", "events:subscribe")
		s.want(t, "where the version before it waited", id, "[events:subscribe]")
		s.patch(t, id, `{"grantedPermissions":["events:subscribe"]}`)
		s.want(t, "after a yes", id, "[]")
		s.install(t, s.admin, "4.0.0", "users:read", "events:subscribe", "orders:read")
		s.want(t, "more, for an administrator who knows", id, "[]")
	})
}

// What waited for a version that nothing leads back to is forgotten: it waits again only if somebody asks for it who
// may not give it.
func TestWhatOnlyAForgottenVersionAskedForWaitsNoLonger(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		s := newAsking(t, a)
		back := func() {
			t.Helper()
			if res := a.Do(t, testkit.Post(s.admin, "/api/v1/admin/plugins/crm/rollback", nil)); res.Status != http.StatusOK {
				t.Fatalf("rollback = %d %s", res.Status, res.Body)
			}
		}
		id := s.install(t, s.operator, "1.0.0", "users:read")
		s.install(t, s.operator, "2.0.0", "products:read")
		s.want(t, "a version that does not ask for it", id, "[]")
		s.patch(t, id, `{"grantedPermissions":["products:read"]}`)
		s.install(t, s.operator, "2.0.0", "storage:read") // takes the place of the other 2.0.0
		back()
		s.want(t, "back at the version that asks", id, "[users:read]")
		s.install(t, s.operator, "3.0.0", "products:read")
		s.install(t, s.operator, "4.0.0", "products:read", "storage:read")
		s.install(t, s.admin, "5.0.0", "users:read")
		s.want(t, "asked for again, by an administrator who knows", id, "[]")
	})
}

// Another instance waits for what the first one waits for, and for what its maker may not give.
func TestAnInstanceWaitsForWhatItsMakerMayNotGive(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		s := newAsking(t, a)
		first := s.install(t, s.operator, "1.0.0", "users:read", "orders:read")
		s.want(t, "the first", first, "[users:read orders:read]")
		add := func(token, key string) string {
			t.Helper()
			res := a.Do(t, testkit.Post(token, "/api/v1/admin/plugins/crm/instances", map[string]any{"instanceKey": key, "enabled": false}))
			if res.Status != http.StatusCreated {
				t.Fatalf("%s = %d %s", key, res.Status, res.Body)
			}
			return res.Text(t, "data.installationId")
		}
		second := add(s.operator, "second")
		s.patch(t, first, `{"grantedPermissions":["users:read"]}`)
		s.want(t, "the second", second, "[users:read orders:read]")
		s.patch(t, second, `{"grantedPermissions":[]}`)
		third := add(s.operator, "third")
		s.want(t, "of an operator, beside one that was given something", third, "[users:read]")
		s.patch(t, third, `{"grantedPermissions":[]}`)
		s.want(t, "of an administrator, after the decision about the third", add(s.admin, "fourth"), "[]")
		if res := a.Do(t, testkit.Delete(s.admin, "/api/v1/admin/plugins/crm")); res.Status != http.StatusOK {
			t.Fatalf("uninstall = %d %s", res.Status, res.Body)
		}
		concerns, _ := a.Do(t, testkit.Get(s.admin, "/api/v1/admin/overview")).Get(t, "data.attention").([]any)
		for _, one := range concerns {
			if c, _ := one.(map[string]any); c["kind"] == "plugin.asks_for_more" {
				t.Errorf("uninstalled, and still asking: %v", c["message"])
			}
		}
	})
}
