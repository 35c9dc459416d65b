package plugin

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// RuntimeState says how what runs for an instance is doing (contract 4.13).
type RuntimeState string

// The states.
const (
	StateIdle      RuntimeState = "idle"      // nothing runs; a call starts it
	StateStarting  RuntimeState = "starting"  // started, not ready yet
	StateRunning   RuntimeState = "running"   // ready for calls
	StateFailing   RuntimeState = "failing"   // did not start, or ended on its own
	StateUnhealthy RuntimeState = "unhealthy" // runs, and says that it is not well; a service: does not answer, too
	StateOpen      RuntimeState = "open"      // not called for a while, because its calls failed
	StateUnknown   RuntimeState = "unknown"   // not run by this stoa, and not asked lately
)

// RuntimeStatus is how what runs for an instance is doing, as this process of stoa
// knows.
type RuntimeStatus struct {
	State     RuntimeState
	Since     time.Time // of the state; zero if nothing has run
	LastError Failure
	WellAt    time.Time // when it last became ready or healthy; zero if it never did
}

// Over reports whether what failed with LastError has become ready since. If both were at one
// moment, the state tells which was last.
func (st RuntimeStatus) Over() bool {
	if st.WellAt.Equal(st.LastError.At) {
		return st.State == StateRunning
	}
	return st.State != StateFailing && st.WellAt.After(st.LastError.At)
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

// text is the failure in one line.
func (f Failure) text() string {
	switch {
	case f.File == "":
		return f.Message
	case f.Line == 0:
		return f.Message + " (" + f.File + ")"
	}
	return fmt.Sprintf("%s (%s:%d)", f.Message, f.File, f.Line)
}

// Processes are what runs of internal plugins in this process of stoa.
type Processes interface {
	Stopper

	// RuntimeStatus returns how an installation is doing. One that was never called is
	// idle.
	RuntimeStatus(installationID string) RuntimeStatus

	// Start starts what runs for in, and does not wait: RuntimeStatus shows what becomes of
	// it. What runs already goes on.
	Start(in Installed)

	// Try loads the plugin of in in a process that serves nobody; with register it
	// is registered with the instance's config, too. It returns why the plugin
	// failed, or an error if it could not be tried at all.
	Try(ctx context.Context, in Installed, register bool) (Failure, error)

	// Logs returns the kept log of an installation after the entry with number
	// after, oldest first, and a channel that is closed when there is more.
	Logs(installationID string, after int64) (entries []LogEntry, more <-chan struct{})
}

// Circuits know which instances are not called for a while (contract 5.11).
type Circuits interface {
	// OpenSince returns since when an instance is not called; ok is false if it is.
	OpenSince(installationID string) (since time.Time, ok bool)
}

// LogEntry is one line of an installation's log.
type LogEntry struct {
	Number    int64     // counts up, without regard to stoa's restarts
	Time      time.Time // when stoa got it
	Level     string    // debug, info, warn or error
	Source    string    // plugin for what it said, stoa for what became of its process
	Message   string
	Error     string // a stack, or what an error says
	File      string // of the package, where an error comes from
	Line      int
	RequestID string
}

// Statuses returns how what runs for each of the instances is doing. LastError is
// the last failure of the present version of instance and package, in whichever
// process of stoa.
func (s *Service) Statuses(ctx context.Context, list []Installed) ([]RuntimeStatus, error) {
	ids := make([]string, len(list))
	for i, in := range list {
		ids[i] = in.Instance.ID
	}
	failures, err := s.Store.Failures(ctx, ids)
	if err != nil {
		return nil, err
	}
	healths, err := s.healthsOf(ctx, list)
	if err != nil {
		return nil, err
	}
	all := make([]RuntimeStatus, len(list))
	for i, in := range list {
		st := RuntimeStatus{State: StateUnknown}
		if s.Processes != nil && in.Package.Manifest.RuntimeType == Internal {
			st = s.Processes.RuntimeStatus(in.Instance.ID)
		}
		if h, said := healths[in.Instance.Slug]; said && in.RunsAt(s.now()) {
			st = h.status(s.now())
		}
		if f := failures[in.Instance.ID]; f.At.After(st.LastError.At) {
			st.LastError = f
		}
		if s.Circuits != nil && st.State != StateFailing { // which says more
			if since, open := s.Circuits.OpenSince(in.Instance.ID); open {
				st.State, st.Since = StateOpen, since
			}
		}
		if st.Since.IsZero() {
			st.Since = in.Instance.UpdatedAt
		}
		all[i] = st
	}
	return all, nil
}

// healthsOf returns what the external packages of the instances said of their health, by
// slug.
func (s *Service) healthsOf(ctx context.Context, list []Installed) (map[string]Health, error) {
	var slugs []string
	for _, in := range list {
		if slug := in.Instance.Slug; in.Package.Manifest.RuntimeType == External && !slices.Contains(slugs, slug) {
			slugs = append(slugs, slug)
		}
	}
	if len(slugs) == 0 {
		return nil, nil
	}
	return s.Store.Healths(ctx, slugs...)
}

// RecordFailure notes a failure of what ran for in.
func (s *Service) RecordFailure(ctx context.Context, in Installed, f Failure) error {
	f.At = f.At.UTC().Truncate(time.Millisecond)
	return s.Store.PutFailure(ctx, in.Instance.ID, in.Revision(), f)
}

// try loads a package that is about to be installed in a trial process. A plugin
// that lacks required config cannot be expected to register.
func (s *Service) try(ctx context.Context, in Installed) Failure {
	if s.Processes == nil || in.Package.Manifest.RuntimeType != Internal {
		return Failure{}
	}
	f, err := s.Processes.Try(ctx, in, in.Instance.Enabled)
	if err != nil {
		return Failure{} // not the plugin's fault: its calls will fail if it does not work
	}
	return f
}

// start starts what runs for an enabled instance of an internal plugin after a change, so
// that its status says whether it works before a shopper's call does.
func (s *Service) start(ctx context.Context, slug, id string) {
	if s.Processes == nil {
		return
	}
	in, err := s.ByID(ctx, slug, id)
	if err == nil && in.RunsAt(s.now()) && in.Package.Manifest.RuntimeType == Internal {
		s.Processes.Start(in)
	} // else it is gone again, or cannot be read now: its first call starts it
}

// KeptRunning returns the enabled instances of internal plugins whose processes are
// to run without being called (Settings.KeepRunning).
func (s *Service) KeptRunning(ctx context.Context) ([]Installed, error) {
	found, err := s.Store.KeptRunning(ctx)
	if err != nil {
		return nil, err
	}
	found = s.running(found)
	list := make([]Installed, len(found))
	for i, f := range found {
		if list[i], err = s.opened(f.Package, f.Instance, nil); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Log returns the kept log of an instance; see Processes.Logs. The error is
// ErrInstanceNotFound for an unknown one. External plugins log elsewhere: theirs
// is empty.
func (s *Service) Log(
	ctx context.Context, slug, id string, after int64,
) (entries []LogEntry, more <-chan struct{}, err error) {
	in, err := s.ByID(ctx, slug, id)
	if err != nil || s.Processes == nil || in.Package.Manifest.RuntimeType != Internal {
		return nil, nil, err
	}
	entries, more = s.Processes.Logs(id, after)
	return entries, more, nil
}
