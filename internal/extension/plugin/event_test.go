package plugin_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension/plugin"
)

func TestManifestsSayWhichEventsTheyWant(t *testing.T) {
	t.Parallel()

	const allowed = `"permissions": ["events:subscribe"], `
	for _, tt := range []struct {
		name, fields string
		want         plugin.Events
		fault        string // the path of the issue; empty if the manifest is good
	}{
		{"none", `"permissions": []`, plugin.Events{}, ""},
		{
			"good", allowed + `"events": {"subscribe": ["order.paid", "license.*"], "path": "/on/events"}`,
			plugin.Events{Subscribe: []string{"order.paid", "license.*"}, Path: "/on/events"},
			"",
		},
		{"not declared", `"events": {"subscribe": ["order.paid"], "path": "/on"}`, plugin.Events{}, "events.subscribe"},
		{"a wild card alone", allowed + `"events": {"subscribe": ["*"], "path": "/on"}`, plugin.Events{}, "events.subscribe[0]"},
		{"no path", allowed + `"events": {"subscribe": ["order.paid"]}`, plugin.Events{}, "events.path"},
		{"no slash", allowed + `"events": {"subscribe": ["order.paid"], "path": "on"}`, plugin.Events{}, "events.path"},
		{"the root", allowed + `"events": {"subscribe": ["order.paid"], "path": "/"}`, plugin.Events{}, "events.path"},
		{"an escape", allowed + `"events": {"subscribe": ["order.paid"], "path": "/o%6e"}`, plugin.Events{}, "events.path"},
		{"dots", allowed + `"events": {"subscribe": ["order.paid"], "path": "/a/../b"}`, plugin.Events{}, "events.path"},
		{"the health", allowed + `"events": {"subscribe": ["order.paid"], "path": "/Health"}`, plugin.Events{}, "events.path"},
		{"hooks", allowed + `"events": {"subscribe": ["order.paid"], "path": "/__lifecycle/x"}`, plugin.Events{}, "events.path"},
		{
			"too many", allowed + `"events": {"subscribe": ["a.b"` + strings.Repeat(`,"a.b"`, 64) + `], "path": "/on"}`,
			plugin.Events{},
			"events.subscribe",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			raw := `{"schemaVersion": 1, "slug": "pay", "name": "Pay", "version": "1.0.0", "runtimeType": "external-http",
				"externalBaseUrl": "https://pay.example", ` + tt.fields + `}`
			m, err := plugin.ParseManifest([]byte(raw), func(string) bool { return true })
			if tt.fault != "" {
				if got := paths(t, err); len(got) != 1 || !strings.HasPrefix(got[0], tt.fault+" ") {
					t.Errorf("issues %q, want one at %q", got, tt.fault)
				}
				return
			}
			if diff := cmp.Diff(m.Events, tt.want); diff != "" || err != nil {
				t.Errorf("%v (-got +want):\n%s", err, diff)
			}
		})
	}
}
