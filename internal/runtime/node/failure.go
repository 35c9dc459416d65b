package node

import (
	"errors"
	"time"

	"stoa/internal/runtime"
)

// The values of details.reason when a plugin does not answer because it does not
// run.
const (
	reasonLoadFailed  = "load_failed"   // the plugin did not start; the log says why
	reasonCrashed     = "crashed"       // its process ended on its own, too often
	reasonBadAnswer   = "bad_answer"    // it runs, and what it answered is not HTTP that can be passed on
	reasonStalled     = "stalled"       // its process was ended: it blocked its event loop
	reasonMemory      = "out_of_memory" // its process was ended: it took too much memory
	reasonNodeMissing = "node_missing"  // no usable Node.js on this machine
	reasonHostMissing = "host_missing"  // stoa was built without its Node host
	reasonIsolation   = "not_isolated"  // this machine cannot contain it as demanded
	reasonStopped     = "stopped"       // stoa is stopping
)

// The delays before a process is started again, by the number of failures in a
// row. The last one repeats: it is the limit.
var (
	crashDelays = []time.Duration{0, 200 * time.Millisecond, time.Second, 5 * time.Second, 15 * time.Second, time.Minute}
	loadDelays  = []time.Duration{time.Second, 5 * time.Second, 15 * time.Second, time.Minute}
)

const (
	// stable is how long a process must have run for its crash to count as the
	// first.
	stable = time.Minute

	// patience is the longest delay that a call sits out.
	patience = time.Second
)

// startError is why a process did not get ready.
type startError struct {
	reason string
	cause  error
}

func (e *startError) Error() string { return e.cause.Error() }
func (e *startError) Unwrap() error { return e.cause }

var errStopping = &startError{reason: reasonStopped, cause: errors.New("stoa is stopping")}

// failures remembers that an installation could not run lately, so that not
// each call forks.
type failures struct {
	count  int       // in a row
	since  time.Time // of the last
	until  time.Time // not to be tried before
	reason string
	cause  error
}

// add records a failure at now of a process that was ready for the time ran.
func (f *failures) add(err error, ran time.Duration, now time.Time) {
	if ran >= stable {
		f.count = 0
	}
	f.count++
	f.since, f.cause = now, err
	f.reason = reasonCrashed
	if errors.Is(err, errStalled) {
		f.reason = reasonStalled
	}
	if errors.Is(err, errMemory) {
		f.reason = reasonMemory
	}
	delays := crashDelays
	var start *startError
	if errors.As(err, &start) {
		f.reason = start.reason
		delays = loadDelays
	}
	f.until = now.Add(delays[min(f.count, len(delays))-1])
}

// refusal answers a call while the installation must not be tried again for
// another wait.
func (f *failures) refusal(wait time.Duration) error {
	if f.crashed() && f.count < len(crashDelays) {
		return runtime.ErrStarting.After(wait).Because(f.cause)
	}
	return unreachable(f.reason, f.cause)
}

// crashed reports whether the last process had been ready when it failed.
func (f *failures) crashed() bool {
	return f.reason == reasonCrashed || f.reason == reasonStalled || f.reason == reasonMemory
}

// unreachable returns runtime.ErrUnreachable with a reason for the client and a
// cause for the log.
func unreachable(reason string, cause error) error {
	return runtime.ErrUnreachable.With("reason", reason).Because(cause)
}

// asStartError gives an error without a reason the most likely one.
func asStartError(err error) error {
	var start *startError
	if errors.As(err, &start) {
		return err
	}
	return &startError{reasonLoadFailed, err}
}

// asCallError turns what ended a start into what the waiting calls answer.
func asCallError(err error) error {
	var start *startError
	if errors.As(err, &start) {
		return unreachable(start.reason, start.cause)
	}
	return unreachable(reasonCrashed, err)
}
