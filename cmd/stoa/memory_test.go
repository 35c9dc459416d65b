package main

import (
	"math"
	"runtime/debug"
	"testing"
)

// What GOGC and GOMEMLIMIT say stands; stoa serve decides the rest. Not parallel: both are the process's.
func TestTheEnvironmentDecidesHowMemoryIsCollected(t *testing.T) { //nolint:paralleltest // see above
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
	for _, tt := range []struct {
		gogc, memory string
		wantPercent  int
		wantLimit    int64
	}{
		{"70", "2GiB", 100, math.MaxInt64}, // the runtime has read them before the program began
		{"", "2GiB", gcPercent, math.MaxInt64},
		{"70", "", 100, memoryLimit},
		{"", "", gcPercent, memoryLimit},
	} {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
		t.Setenv("GOGC", tt.gogc)
		t.Setenv("GOMEMLIMIT", tt.memory)
		tuneMemory()
		if got := debug.SetGCPercent(100); got != tt.wantPercent {
			t.Errorf("GOGC=%s: %d %%, want %d", tt.gogc, got, tt.wantPercent)
		}
		if got := debug.SetMemoryLimit(-1); got != tt.wantLimit {
			t.Errorf("GOMEMLIMIT=%s: %d bytes, want %d", tt.memory, got, tt.wantLimit)
		}
	}
}
