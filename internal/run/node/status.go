package node

import (
	"time"

	"stoa/internal/extension/plugin"
)

// State is the state of an installation's process.
type State string

// The states.
const (
	Stopped  State = "stopped"  // not running; a call starts it
	Starting State = "starting" // started, not ready yet
	Running  State = "running"

	Unhealthy State = "unhealthy" // running, and its /health does not answer 200
	Failed    State = "failed"    // did not start, or crashed; a call after a delay tries again
)

// Status describes the process of an installation, for administrators.
type Status struct {
	State     State     `json:"state"`
	PID       int       `json:"pid,omitempty"`
	Since     time.Time `json:"since,omitzero"` // start of this state; zero if Stopped
	Restarts  int       `json:"restarts"`       // after crashes, since stoa started
	LastError string    `json:"lastError,omitempty"`

	// Failure is LastError for administrators of plugins: what happened and where.
	Failure plugin.Failure `json:"-"`

	ReadyAt time.Time `json:"-"` // of the last process that became ready
}

// RuntimeStatus returns the state of an installation for administrators.
func (rt *Runtime) RuntimeStatus(installationID string) plugin.RuntimeStatus {
	st := rt.Status(installationID)
	return plugin.RuntimeStatus{State: states[st.State], Since: st.Since, LastError: st.Failure, WellAt: st.ReadyAt}
}

var states = map[State]plugin.RuntimeState{
	Stopped: plugin.StateIdle, Starting: plugin.StateStarting, Running: plugin.StateRunning, Failed: plugin.StateFailing,
	Unhealthy: plugin.StateUnhealthy,
}
