package httpapi

import (
	"strings"
	"testing"
)

// What is served before net/http are all routes to plugins, and no others.
func TestPluginCallsAreRecognized(t *testing.T) {
	t.Parallel()

	rt := (&Server{}).routes()
	samples := strings.NewReplacer("{slug}", "x", "{path...}", "a", "{kind}", "plugin", "{installationId}", "i")
	calls := make(map[string]bool)
	for _, route := range rt.calls {
		calls[route.pattern] = true
	}
	for _, pattern := range rt.patterns {
		_, path, ok := strings.Cut(pattern, " ")
		if !ok {
			path = pattern
		}
		for _, query := range []string{"", "?q=1"} {
			if got := IsPluginCall(samples.Replace(path) + query); got != calls[pattern] {
				t.Errorf("IsPluginCall(%q) = %v, and %q is a call: %v", samples.Replace(path)+query, got, pattern, calls[pattern])
			}
		}
	}
	if len(calls) == 0 {
		t.Error("there is no route to plugins")
	}
}
