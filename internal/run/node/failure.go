package node

import (
	"errors"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/run/child"
)

// The values of details.reason of run.ErrUnreachable.
const (
	reasonLoadFailed  = "load_failed"   // the plugin did not start; the log says why
	reasonFiles       = "files_missing" // its files are not here and could not be fetched; the log says why
	reasonCrashed     = "crashed"       // its process ended on its own, too often
	reasonBadAnswer   = "bad_answer"    // it runs, and its answer is not HTTP that can be passed on
	reasonStalled     = "stalled"       // its process was killed because it blocked its event loop
	reasonMemory      = "out_of_memory" // its process was killed because it took too much memory
	reasonNodeMissing = "node_missing"  // no usable Node.js on this machine
	reasonHostMissing = "host_missing"  // stoa was built without its Node host
	reasonIsolation   = "not_isolated"  // this machine cannot contain it as demanded
	reasonStopped     = "stopped"       // stoa is stopping
)

// The delays before a process is started again, by the number of crashes within
// crashWindow, and of failures to start in a row. The last one repeats.
var (
	crashDelays = []time.Duration{
		0, 0, 0, 200 * time.Millisecond, time.Second, 5 * time.Second, 15 * time.Second,
		time.Minute,
	}
	loadDelays = []time.Duration{time.Second, 5 * time.Second, 15 * time.Second, time.Minute}
)

const (
	// crashWindow is how long a crash counts.
	crashWindow = time.Hour

	// patience is the longest delay that a call waits for.
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

// failures are the recent failures of an installation. They keep calls from
// starting a process each.
type failures struct {
	count  int         // of crashes within crashWindow, or of failed starts in a row
	times  []time.Time // of the crashes that count
	since  time.Time   // of the last
	until  time.Time   // when a start may be tried again
	reason string
	cause  error
}

// add records that a process failed at now.
func (f *failures) add(err error, now time.Time) {
	failedBefore := f.cause != nil && !f.crashed()
	f.since, f.cause = now, err
	start, ok := errors.AsType[*startError](err)
	if ok {
		if !failedBefore {
			f.count = 0
		}
		f.count++
		f.reason = start.reason
		f.until = now.Add(loadDelays[min(f.count, len(loadDelays))-1])
		if start.reason == reasonFiles { // not the plugin's failure, and trying again costs little
			f.until = now.Add(loadDelays[0])
		}
		return
	}
	f.reason = reasonCrashed
	if errors.Is(err, child.ErrStalled) {
		f.reason = reasonStalled
	}
	if errors.Is(err, child.ErrMemory) {
		f.reason = reasonMemory
	}
	f.times = slices.DeleteFunc(append(f.times, now), func(t time.Time) bool { return now.Sub(t) >= crashWindow })
	f.times = f.times[max(0, len(f.times)-len(crashDelays)):] // more of them change nothing
	f.count = len(f.times)
	f.until = now.Add(crashDelays[f.count-1])
}

// refusal returns the error of a call that comes too early: no process may start
// for another wait.
func (f *failures) refusal(wait time.Duration) error {
	if f.crashed() && f.count < len(crashDelays) {
		return run.ErrStarting.After(wait).Because(f.cause)
	}
	return down(f.reason, f.cause)
}

// crashed reports whether the last process had been ready when it failed.
func (f *failures) crashed() bool {
	return f.reason == reasonCrashed || f.reason == reasonStalled || f.reason == reasonMemory
}

// unreachable returns run.ErrUnreachable with a reason for the client and a
// cause for the log. Storage that does not work says itself what to do.
func unreachable(reason string, cause error) error {
	if reason == reasonFiles && errs.KindOf(cause) == errs.Busy {
		return cause
	}
	return run.ErrUnreachable.With("reason", reason).Because(cause)
}

// down is unreachable for a process that ended or did not start: failures say when another may
// start, and nothing else may keep calls away.
func down(reason string, cause error) error { return unreachable(reason, run.Paced(cause)) }

// asStartError gives an error that has no reason the most likely one.
func asStartError(err error) error {
	var start *startError
	if errors.As(err, &start) {
		return err
	}
	return &startError{reasonLoadFailed, err}
}

// asCallError turns the error that ended a start into that of the waiting calls.
func asCallError(err error) error {
	var start *startError
	if errors.As(err, &start) {
		return down(start.reason, start.cause)
	}
	return down(reasonCrashed, err)
}

// failureOf describes the end of a process of in for an administrator.
func failureOf(err error, in plugin.Installed, at time.Time) plugin.Failure {
	f := plugin.Failure{At: at, Message: child.Clip(err.Error(), child.MessageLimit)}
	if reported, ok := errors.AsType[*child.Error](err); ok {
		f.Message, f.File, f.Line = reported.Message, reported.File, reported.Line
	}
	start, ok := errors.AsType[*startError](err)
	if ok && start.reason == reasonLoadFailed && f.File == "" {
		f.File = in.Package.Manifest.EntryModule
	}
	return f
}
