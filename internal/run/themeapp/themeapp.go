package themeapp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension/theme"
	"stoa/internal/run"
	"stoa/internal/run/child"
	"stoa/internal/run/egress"
	"stoa/internal/run/relay"
)

// The failures of calls to theme apps.
var (
	ErrUnreachable = errs.New(errs.Unreachable, "THEME_APP_UNREACHABLE", "The theme app does not answer.")
	ErrStarting    = errs.New(errs.Busy, "THEME_APP_STARTING", "The theme app is starting. Try again shortly.")
	ErrTimeout     = errs.New(errs.Timeout, "THEME_APP_TIMEOUT", "The theme app took too long to answer.")
)

// Config says how theme apps run. Log, Children and DataDir are required; a zero value
// elsewhere means the default.
type Config struct {
	Log *slog.Logger

	// Children starts the processes. The caller closes it after the Runtime.
	Children *child.Launcher
	// DataDir holds the files of the apps, each at its InstallPath.
	DataDir string
	// Egress is what contained apps reach. nil: nothing.
	Egress *egress.Gate
	// Fetch makes sure that the files of an app are in the data folder before they are used. Its
	// error is that of the calls that wait if it is errs.Busy. nil: they are there.
	Fetch func(ctx context.Context, v theme.Version) error

	APIBaseURL string // where apps call stoa

	MemoryMiB   int           // limit of a process's JavaScript heap; default 256
	Start       time.Duration // from the start of a process until it listens; default 60 s
	HealthWait  time.Duration // how long an app that listens may take to get healthy; default 10 s
	HealthEvery time.Duration // between two questions to an active app's health check; default 15 s
	StartWait   time.Duration // how long a call waits for a start; default 8 s
	FirstByte   time.Duration // how long a call waits for the answer's header; default 30 s
	Idle        time.Duration // after which an app that is not active and not called ends; default 2 min
	Drain       time.Duration // for the running calls of an app that is no longer needed; default 30 s
	Every       time.Duration // between two looks which apps are active; default 1 s
	Stall       time.Duration // how long an app may block its event loop during a call; default 5 s
	Grace       time.Duration // from asking a process to end to killing it; default 5 s
	ReapWait    time.Duration // how long a call waits for the proof that a broken connection means a dead process; default 1 s
}

func (c Config) withDefaults() Config {
	c.MemoryMiB = cmp.Or(c.MemoryMiB, 256)
	c.Start = cmp.Or(c.Start, time.Minute)
	c.HealthWait = cmp.Or(c.HealthWait, 10*time.Second)
	c.HealthEvery = cmp.Or(c.HealthEvery, 15*time.Second)
	c.StartWait = cmp.Or(c.StartWait, 8*time.Second)
	c.FirstByte = cmp.Or(c.FirstByte, 30*time.Second)
	c.Idle = cmp.Or(c.Idle, 2*time.Minute)
	c.Drain = cmp.Or(c.Drain, 30*time.Second)
	c.Every = cmp.Or(c.Every, time.Second)
	c.Stall = cmp.Or(c.Stall, 5*time.Second)
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	c.ReapWait = cmp.Or(c.ReapWait, time.Second)
	return c
}

// Runtime runs theme apps. It is safe for concurrent use.
type Runtime struct {
	cfg Config

	alive  context.Context // until Close
	cancel context.CancelFunc

	running sync.WaitGroup // processes

	mu     sync.Mutex
	closed bool
	apps   map[string]*app // by theme.App.Key
	active map[string]bool // the same, as Follow saw them last
}

var _ theme.Apps = (*Runtime)(nil)

// New returns a Runtime that has started nothing yet. The caller closes it.
func New(cfg Config) *Runtime {
	alive, cancel := context.WithCancel(context.Background())
	return &Runtime{
		cfg: cfg.withDefaults(), alive: alive, cancel: cancel, apps: make(map[string]*app), active: make(map[string]bool),
	}
}

// Prepare implements theme.Apps. An app that does not get healthy and is not active ends.
func (rt *Runtime) Prepare(ctx context.Context, a theme.App) error {
	rt.app(a).forgive() // an administrator tries again
	s, p, err := rt.acquire(ctx, a, rt.cfg.Start+startMargin)
	if err == nil {
		err = p.awaitHealthy(ctx, rt.cfg.HealthWait)
		s.release()
	}
	if err == nil {
		return nil
	}
	rt.mu.Lock()
	unwanted := !rt.active[a.Key()]
	rt.mu.Unlock()
	if unwanted {
		rt.retire(s)
	}
	if cause := errors.Unwrap(err); cause != nil {
		return cause // not "does not answer", but why
	}
	return err
}

// Serve passes r to an app and copies its answer to w, as run.Runtime describes, with
// the errors of this package.
func (rt *Runtime) Serve(w http.ResponseWriter, r *http.Request, a theme.App) error {
	call := relay.NewCall(w, r)
	defer call.End()
	again, err := rt.try(r, call, a)
	if again {
		_, err = rt.try(r, call, a)
	}
	return err
}

// try is Serve with one process. again means that the process ended, and that the app
// has seen nothing of the request.
func (rt *Runtime) try(r *http.Request, call *relay.Call, a theme.App) (again bool, err error) {
	s, p, err := rt.acquire(r.Context(), a, rt.cfg.StartWait)
	if err != nil {
		return false, err
	}
	defer s.release()               // Pass panics when an answer breaks off after it began
	err = call.Pass(relay.Upstream{ //nolint:contextcheck // the call has the request's
		Transport: p.transport, Scheme: "http", Addr: "app", // whatever the name: see process
		Target: r.URL.RequestURI(), FirstByte: rt.cfg.FirstByte, Log: s.log,
	})
	if errors.Is(err, run.ErrTimeout) {
		return false, ErrTimeout.Because(err)
	}
	if failed, ok := errors.AsType[*relay.Failure](err); ok {
		return failed.Repeatable && p.goneSoon(), ErrUnreachable.Because(failed)
	}
	return false, err
}

// startMargin is how much longer than its limit a start is waited for, so that its own
// error arrives.
const startMargin = 5 * time.Second

// acquire returns a process that serves a, as app.acquire does. It returns the app even
// with an error.
func (rt *Runtime) acquire(ctx context.Context, a theme.App, wait time.Duration) (*app, *process, error) {
	for {
		s := rt.app(a)
		if p, err := s.acquire(ctx, wait); !errors.Is(err, errRetired) {
			return s, p, err
		}
	}
}

// app returns what runs a.
func (rt *Runtime) app(a theme.App) *app {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	s := rt.apps[a.Key()]
	if s == nil {
		s = newApp(rt, a)
		rt.apps[a.Key()] = s
	}
	return s
}

// retire ends what runs s, once its running calls are done or their time is up. The next
// call starts it again.
func (rt *Runtime) retire(s *app) {
	rt.mu.Lock()
	if rt.apps[s.of.Key()] == s {
		delete(rt.apps, s.of.Key())
	}
	rt.mu.Unlock()
	s.retire()
}

// all returns what runs, or ran and failed.
func (rt *Runtime) all() []*app {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return slices.Collect(maps.Values(rt.apps))
}

// Close ends all processes and returns when they are gone. Later calls return
// ErrUnreachable.
func (rt *Runtime) Close() {
	rt.mu.Lock()
	rt.closed = true
	rt.mu.Unlock()
	rt.cancel()
	rt.running.Wait()
}

// begin registers a process that is about to start. It returns false after Close.
func (rt *Runtime) begin(run func()) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed {
		return false
	}
	rt.running.Go(run)
	return true
}
