package plugin_test

import (
	"testing"
	"time"

	"stoa/internal/extension/plugin"
)

func TestACallThatWasLookedUpBeforeAChangeDoesNotUndoIt(t *testing.T) {
	t.Parallel()
	t0 := time.Now()
	base := plugin.Revision{Instance: 2, ZipHash: "b", Updated: t0}
	tests := []struct {
		name string
		r    plugin.Revision
		want bool
	}{
		{"the same", plugin.Revision{Instance: 2, ZipHash: "b", Updated: t0}, false},
		{"a newer config", plugin.Revision{Instance: 3, ZipHash: "b", Updated: t0}, true},
		{"an older config", plugin.Revision{Instance: 1, ZipHash: "b", Updated: t0}, false},
		{"a newer package", plugin.Revision{Instance: 2, ZipHash: "c", Updated: t0.Add(1)}, true},
		{"an older package", plugin.Revision{Instance: 2, ZipHash: "a", Updated: t0.Add(-1)}, false},
		{"settings of the package", plugin.Revision{Instance: 2, ZipHash: "b", Updated: t0.Add(1)}, false},
	}
	for _, tt := range tests {
		if got := tt.r.Replaces(base); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}
