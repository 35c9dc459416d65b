package node

import "time"

// State is what the process of an installation is doing.
type State string

// The states.
const (
	Stopped  State = "stopped"  // not running; a call starts it
	Starting State = "starting" // started, not ready yet
	Running  State = "running"
	Failed   State = "failed" // did not start, or crashed, and is not tried again before a delay has passed
)

// Status describes the process of an installation, for administrators.
type Status struct {
	State     State     `json:"state"`
	PID       int       `json:"pid,omitempty"`
	Since     time.Time `json:"since,omitzero"` // of this state, if it has a process or failed
	Restarts  int       `json:"restarts"`       // since stoa started, after crashes
	LastError string    `json:"lastError,omitempty"`
}
