package plugin

import "time"

// RuntimeState says how what runs for an instance is doing (CONTRACT 4).
type RuntimeState string

// The states.
const (
	StateIdle      RuntimeState = "idle"      // nothing runs; a call starts it
	StateStarting  RuntimeState = "starting"  // started, not ready yet
	StateRunning   RuntimeState = "running"   // ready for calls
	StateFailing   RuntimeState = "failing"   // did not start, or ended on its own
	StateUnhealthy RuntimeState = "unhealthy" // runs, and says that it is not well
	StateUnknown   RuntimeState = "unknown"   // not run by this stoa
)

// RuntimeStatus is how what runs for an instance is doing, as this process of stoa
// knows.
type RuntimeStatus struct {
	State     RuntimeState
	Since     time.Time // of the state; zero if nothing has run
	LastError Failure
}

// Failure is why a plugin could not be loaded, or why its process ended. The zero
// value is none.
type Failure struct {
	At      time.Time
	Message string
	File    string // of the package; empty if unknown
	Line    int    // of File, from 1; 0 if unknown
}

// IsZero reports whether there was no failure.
func (f Failure) IsZero() bool { return f.At.IsZero() }
