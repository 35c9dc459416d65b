package extension_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// An operation is what an administrator does with the package hooked.
type operation func(t *testing.T, k *hookKit)

// A cause is an operation with the hooks and events that it causes.
type cause struct {
	name          string
	before, op    operation // before: what has been done already, or nil
	hooks, events []string
}

// wantHooks fails unless each operation causes its hooks and events, and no others.
func wantHooks(t *testing.T, causes []cause) {
	t.Helper()
	for _, tt := range causes {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			k := newHookKit(t, testkit.New(t, testkit.SoonUnhealthy))
			if tt.before != nil {
				tt.before(t, k)
				k.quiet(t)
				k.forget()
				k.events(t)
			}
			tt.op(t, k)
			k.quiet(t)
			if diff := cmp.Diff(sorted(k.names()), append([]string{}, tt.hooks...)); diff != "" {
				t.Errorf("hooks (-got +want):\n%s", diff)
			}
			got, want := k.events(t), append([]string{}, tt.events...)
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("events (-got +want):\n%s", diff)
			}
		})
	}
}

// inOrder does one operation after the other.
func inOrder(ops ...operation) operation {
	return func(t *testing.T, k *hookKit) {
		for _, op := range ops {
			op(t, k)
		}
	}
}

// installed installs the package with changes to its manifest.
func installed(changes map[string]any) operation {
	return func(t *testing.T, k *hookKit) { k.install(t, changes, "") }
}

// created creates the instance b.
func created(enabled bool) operation {
	return func(t *testing.T, k *hookKit) { k.instance(t, "b", enabled) }
}

// deletedAtOnce creates the instance b and deletes it.
func deletedAtOnce(enabled bool) operation {
	return func(t *testing.T, k *hookKit) { k.do(t, testkit.Delete(k.admin, k.instance(t, "b", enabled))) }
}

// several installs the package with three instances: default and b are enabled, c is not.
func several(t *testing.T, k *hookKit) {
	k.install(t, nil, "")
	k.instance(t, "b", true)
	k.instance(t, "c", false)
}

// patched changes the default instance.
func patched(body map[string]any) operation {
	return func(t *testing.T, k *hookKit) { k.do(t, testkit.Patch(k.admin, k.path(t), body)) }
}

func removed(query string) operation {
	return func(t *testing.T, k *hookKit) { k.do(t, testkit.Delete(k.admin, pluginsPath+"hooked"+query)) }
}

func posted(what string) operation {
	return func(t *testing.T, k *hookKit) { k.do(t, testkit.Post(k.admin, pluginsPath+"hooked/"+what, nil)) }
}

func TestInstallsCauseTheirHooks(t *testing.T) {
	t.Parallel()

	wantHooks(t, []cause{
		{
			"install", nil, installed(nil),
			[]string{"default onInstall", "default onEnable"},
			[]string{"extension.installed", "instance.enabled"},
		},
		{
			"install, required config missing", nil,
			installed(map[string]any{"configSchema": map[string]any{"a": map[string]any{"type": "string", "required": true}}}),
			[]string{"default onInstall"},
			[]string{"extension.installed"},
		},
		{
			"install, no hooks asked for", nil, installed(map[string]any{"lifecycle": map[string]any{"onEnable": false}}),
			nil,
			[]string{"extension.installed", "instance.enabled"},
		},
		{"install again", installed(nil), installed(nil), nil, nil},
		{"install refused", installed(nil), installed(map[string]any{"name": "other"}), nil, nil},
	})
}

func TestChangesOfInstancesCauseTheirHooks(t *testing.T) {
	t.Parallel()

	disable, enable := patched(map[string]any{"enabled": false}), patched(map[string]any{"enabled": true})
	install := installed(nil)
	wantHooks(t, []cause{
		{"create", install, created(true), []string{"b onInstall", "b onEnable"}, []string{"instance.enabled"}},
		{"create, disabled", install, created(false), []string{"b onInstall"}, nil},
		{"disable", install, disable, []string{"default onDisable"}, []string{"instance.disabled"}},
		{"disable again", inOrder(install, disable), disable, nil, nil},
		{"enable", inOrder(install, disable), enable, []string{"default onEnable"}, []string{"instance.enabled"}},
		{"change config", install, patched(map[string]any{"config": map[string]any{"apiKey": "x"}}), nil, nil},
		{
			"delete", install, deletedAtOnce(true),
			[]string{"b onInstall", "b onEnable", "b onDisable", "b onUninstall"},
			[]string{"instance.enabled", "instance.disabled"},
		},
		{"delete, disabled", install, deletedAtOnce(false), []string{"b onInstall", "b onUninstall"}, nil},
		{"change settings of the package", install, func(t *testing.T, k *hookKit) {
			k.do(t, testkit.Patch(k.admin, pluginsPath+"hooked", map[string]any{"timeoutMs": 2000}))
		}, nil, nil},
	})
}

func TestRemovalsAndRestoresCauseTheirHooks(t *testing.T) {
	t.Parallel()

	ends := []string{"b onDisable", "b onUninstall", "c onUninstall", "default onDisable", "default onUninstall"}
	gone := []string{"instance.disabled", "instance.disabled", "extension.uninstalled"}
	wantHooks(t, []cause{
		{"uninstall", several, removed(""), ends, gone},
		{
			"restore", inOrder(several, removed("")), posted("restore"),
			[]string{"b onInstall", "c onInstall", "default onInstall", "default onEnable"},
			[]string{"extension.installed", "instance.enabled"},
		},
		{"restore what is there", several, posted("restore"), nil, nil},
		{"purge", several, removed("?purge=true"), ends, gone},
		{"purge after uninstall", inOrder(several, removed("")), removed("?purge=true"), nil, nil},
	})
}

func TestUpgradesCauseTheirHooks(t *testing.T) {
	t.Parallel()

	upgrade := installed(map[string]any{"version": "1.1.0"})
	hooks, events := []string{"b onUpgrade", "c onUpgrade", "default onUpgrade"}, []string{"extension.upgraded"}
	wantHooks(t, []cause{
		{"upgrade", several, upgrade, hooks, events},
		{"rollback", inOrder(several, upgrade), posted("rollback"), hooks, events},
		{"replace", several, func(t *testing.T, k *hookKit) {
			k.install(t, map[string]any{"name": "other"}, "?replace=true")
		}, hooks, events},
		{
			"upgrade to a version without hooks", several,
			installed(map[string]any{"version": "2.0.0", "lifecycle": map[string]any{}}),
			nil, events,
		},
		{
			"upgrade refused", installed(nil),
			installed(map[string]any{"version": "2.0.0", "externalBaseUrl": "http://127.0.0.1:1"}),
			nil, nil,
		},
	})
}
