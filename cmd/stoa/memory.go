package main

import (
	"runtime/debug"

	"stoa/internal/operate/settings"
)

const (
	// gcPercent lets the heap grow to five times what is in use before it is
	// collected. Little is in use, and requests leave much behind: collecting less
	// often saves a tenth of the processor time of a small request.
	gcPercent = 400
	// memoryLimit is where memory counts for more than time. It is no hard limit.
	memoryLimit = 1 << 30 // bytes
)

// tuneMemory sets up garbage collection for a server, as far as GOGC and
// GOMEMLIMIT do not say otherwise.
func tuneMemory() {
	if settings.GCPercent.Value() == "" {
		debug.SetGCPercent(gcPercent)
	}
	if settings.MemoryLimit.Value() == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
