package node

import "time"

// State is the state of an installation's process.
type State string

// The states.
const (
	Stopped  State = "stopped"  // not running; a call starts it
	Starting State = "starting" // started, not ready yet
	Running  State = "running"
	Failed   State = "failed" // did not start, or crashed; a call after a delay tries again
)

// Status describes the process of an installation, for administrators.
type Status struct {
	State     State     `json:"state"`
	PID       int       `json:"pid,omitempty"`
	Since     time.Time `json:"since,omitzero"` // start of this state; zero if Stopped
	Restarts  int       `json:"restarts"`       // after crashes, since stoa started
	LastError string    `json:"lastError,omitempty"`
}
