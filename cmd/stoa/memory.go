package main

import (
	"os"
	"runtime/debug"
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
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
