package httpapi

import (
	"strings"
	"testing"
)

// What is served before net/http are all routes to plugins, and no others.
func TestPluginCallsAreRecognized(t *testing.T) {
	t.Parallel()

	samples := strings.NewReplacer("{slug}", "x", "{path...}", "a", "{kind}", "plugin", "{installationId}", "i")
	calls := 0
	for _, r := range everyRoute() {
		_, path, ok := strings.Cut(r.pattern, " ")
		if !ok {
			path = r.pattern
		}
		if r.call != nil {
			calls++
		}
		for _, query := range []string{"", "?q=1"} {
			if got := IsPluginCall(samples.Replace(path) + query); got != (r.call != nil) {
				t.Errorf("IsPluginCall(%q) = %v, and %q is a call: %v", samples.Replace(path)+query, got, r.pattern, r.call != nil)
			}
		}
	}
	if calls == 0 {
		t.Error("there is no route to plugins")
	}
}
