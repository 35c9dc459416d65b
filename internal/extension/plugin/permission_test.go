package plugin_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension/plugin"
)

func TestUnknownPermissionsAreThoseThatGrantNothing(t *testing.T) {
	t.Parallel()

	m := plugin.Manifest{RoutePermissions: []plugin.RoutePermission{{Permission: "reports:see"}}}
	got := m.Unknown([]string{
		"products:read", "orders:read", "licenses:read", "users:read", "users:email", "storage:read", "storage:write",
		"events:publish", "events:subscribe", "network:api.example.com", "network:10.0.0.1:8443", "reports:see",
		"orders:write", "Orders:read", "orders:read ", "network:", "network:*.example.com", "reports:change",
	})
	want := []string{"orders:write", "Orders:read", "orders:read ", "network:", "network:*.example.com", "reports:change"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("unknown (-got +want):\n%s", diff)
	}
}
