package node

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/run/child"
	"stoa/internal/run/egress"
	"stoa/internal/run/relay"
	"stoa/internal/run/sandbox"
)

// Config says how plugins run. Log, Children and DataDir are required; a zero value
// elsewhere means the default.
type Config struct {
	Log *slog.Logger

	// Children starts the processes. The caller closes it after the Runtime.
	Children *child.Launcher

	// DataDir holds the packages, each at its InstallPath, and a small node_modules
	// folder that this package writes.
	DataDir string
	// CacheDir is the folder that keeps the compiled form of the host program for the next run.
	// Empty: it is compiled again.
	CacheDir string
	// Fetch makes sure that the files of a package are in DataDir before they are used. If it returns an errs.Busy, the
	// calls that wait fail with that error. If nil, the files are there.
	Fetch func(ctx context.Context, pkg plugin.Package) error

	// Live is asked every LiveEvery (3 s by default), and after Refresh, which of the
	// running plugins may go on. With nil, all may.
	Live      Live
	LiveEvery time.Duration

	// ForgetAfter is how long the log of an instance is kept after the instance is gone and its
	// last process has ended (10 minutes by default).
	ForgetAfter time.Duration

	// Egress is what contained plugins reach. nil: nothing.
	Egress *egress.Gate

	// Development shows clients what an error of a plugin says.
	Development bool

	// Failed is called for every failure of a process, after the calls that waited for
	// the process have failed. nil: failures are only logged.
	Failed func(ctx context.Context, in plugin.Installed, f plugin.Failure)

	MemoryMiB    int           // limit of a process's JavaScript heap; default 128
	BodyLimit    int64         // bytes of a request body; default 10 MiB (contract 5.7)
	StartTimeout time.Duration // from the fork to the plugin being ready; default 10 s
	StartWait    time.Duration // how long a call waits for a start; default 8 s
	FirstByte    time.Duration // how long a call waits for the answer's header; default 30 s
	Idle         time.Duration // after which an unused process ends; default 10 min
	Tidy         time.Duration // after which an unused process gives memory back; default 5 s
	Drain        time.Duration // for the running calls of a replaced process; default 30 s
	HealthEvery  time.Duration // between two questions to a plugin's /health; default 15 s
	Grace        time.Duration // from asking a process to end to killing it; default 5 s
	ReapWait     time.Duration // how long a call waits for the proof that a broken connection means a dead process; default 1 s

	// Stall is how long a plugin may block its event loop during a call; default
	// 5 s. Between calls it is six times as long.
	Stall time.Duration
}

func (c Config) withDefaults() Config {
	c.LiveEvery = cmp.Or(c.LiveEvery, 3*time.Second)
	c.ForgetAfter = cmp.Or(c.ForgetAfter, 10*time.Minute)
	c.MemoryMiB = cmp.Or(c.MemoryMiB, 128)
	c.BodyLimit = cmp.Or(c.BodyLimit, 10<<20)
	c.StartTimeout = cmp.Or(c.StartTimeout, 10*time.Second)
	c.StartWait = cmp.Or(c.StartWait, 8*time.Second)
	c.FirstByte = cmp.Or(c.FirstByte, 30*time.Second)
	c.Stall = cmp.Or(c.Stall, 5*time.Second)
	c.Idle = cmp.Or(c.Idle, 10*time.Minute)
	c.Tidy = cmp.Or(c.Tidy, 5*time.Second)
	c.Drain = cmp.Or(c.Drain, 30*time.Second)
	c.HealthEvery = cmp.Or(c.HealthEvery, 15*time.Second)
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	c.ReapWait = cmp.Or(c.ReapWait, time.Second)
	return c
}

// Runtime runs internal plugins. It is safe for concurrent use.
type Runtime struct {
	cfg  Config
	host *host

	// Tests set these.
	startMargin time.Duration // see the constant
	clocks      child.Clocks

	withoutFlags bool // no permission flags of Node.js; tests set it

	// starting bounds how many processes start at the same time. After a restart of
	// stoa, all plugins are called at once.
	starting chan struct{}
	places   startPlaces // of each package among them

	// alive ends when Close runs out of time. Its end kills every process.
	alive context.Context
	kill  context.CancelFunc

	refreshLive, refreshKept chan struct{} // wake watchLive and KeepRunning; see Refresh

	watcher   sync.WaitGroup // runs watchLive
	reporters sync.WaitGroup // run Config.Failed

	lost lostLines

	mu            sync.Mutex
	closed        bool
	watching      bool                      // watchLive runs
	forgetting    bool                      // forget runs
	changed       bool                      // Refresh was called since forget asked
	installations map[string]*installation  // by installation id
	processes     map[*process]struct{}     // until reaped, those that were replaced included
	shared        map[string]*sharedProcess // that take members, by sharedKey
}

var _ run.Runtime = (*Runtime)(nil)

// New returns a Runtime that has started nothing yet. It looks for Node.js when
// the first plugin is called. The caller closes it.
func New(cfg Config) *Runtime {
	cfg = cfg.withDefaults()
	alive, kill := context.WithCancel(context.Background())
	return &Runtime{
		cfg:           cfg,
		host:          newHost(cfg),
		startMargin:   startMargin,
		starting:      make(chan struct{}, max(4, 2*goruntime.GOMAXPROCS(0))),
		alive:         alive,
		kill:          kill,
		refreshLive:   make(chan struct{}, 1),
		refreshKept:   make(chan struct{}, 1),
		installations: make(map[string]*installation),
		processes:     make(map[*process]struct{}),
		shared:        make(map[string]*sharedProcess),
	}
}

// About returns the version of the Node.js that runs plugins, how well they are contained,
// and what is missing for full containment. The error is that of Check.
func (rt *Runtime) About() (version string, level sandbox.Level, missing string, err error) {
	files, err := rt.host.prepare()
	if err != nil {
		return "", "", "", err
	}
	level, missing = files.machine.Isolation()
	return files.machine.Version(), level, missing, nil
}

// Check reports whether plugins can run here. The error says what an administrator
// has to install or change. stoa works without it; calls of internal plugins then return
// run.ErrUnreachable.
func (rt *Runtime) Check() error {
	_, err := rt.host.prepare()
	return err
}

// HasChannel reports whether each process calls the platform over a channel of its own.
func (rt *Runtime) HasChannel() bool {
	if rt.cfg.Egress == nil || !rt.cfg.Egress.HasPlatform() {
		return false
	}
	files, err := rt.host.prepare()
	return err == nil && files.machine.HasNetworks()
}

// Serve implements run.Runtime. The first call of an installation starts its
// process and waits for it.
func (rt *Runtime) Serve(w http.ResponseWriter, r *http.Request, in *plugin.Installed) error {
	call := relay.NewCall(w, r)
	defer call.End()
	return rt.call(r, call, in, "")
}

// call passes a call on to the process of an instance. suffix is what follows the secret
// of the process.
func (rt *Runtime) call(r *http.Request, call *relay.Call, in *plugin.Installed, suffix string) error {
	for tries := 1; ; tries++ {
		again, err := rt.try(r, call, in, suffix)
		if !again || tries == maxTries {
			return err
		}
	}
}

// maxTries is how many processes in a row a call is passed to if each of them ends before it
// has read anything of the call. The call fails earlier if the delay before the next start
// exceeds patience.
const maxTries = 5

// try is call with one process. again means that the process died, and that
// another may be tried: the plugin has seen nothing of the request.
func (rt *Runtime) try(
	r *http.Request, call *relay.Call, in *plugin.Installed, suffix string,
) (again bool, err error) {
	inst := rt.installation(in.Instance.ID)
	p, err := inst.acquire(r.Context(), in)
	if err != nil {
		if r.Context().Err() != nil && !errors.Is(r.Context().Err(), context.DeadlineExceeded) {
			return false, nil
		}
		return false, err
	}
	// Deferred: forward panics when an answer breaks off after it began.
	defer inst.release(p)
	return p.forward(call, r.URL.RequestURI(), p.secret+suffix) //nolint:contextcheck // the call has the request's
}

// Prepare starts the process of an instance and returns when it is ready. The
// errors are those of Serve.
func (rt *Runtime) Prepare(ctx context.Context, in plugin.Installed) error {
	inst := rt.installation(in.Instance.ID)
	p, err := inst.acquire(ctx, &in)
	if err != nil {
		return err
	}
	inst.release(p)
	return nil
}

// Stop ends the process of an installation once its running calls are done, and
// forgets past failures. It does not wait. The next call starts a process again.
// If nothing runs, Stop does nothing.
func (rt *Runtime) Stop(installationID string) {
	rt.mu.Lock()
	inst := rt.installations[installationID]
	rt.mu.Unlock()
	if inst != nil {
		inst.stop()
	}
}

// Refresh makes the Runtime check at once, instead of after the interval, which plugins may go on running and which are
// to be kept running. It also makes it forget the installations that are no longer there. It does not wait.
func (rt *Runtime) Refresh() {
	for _, wake := range []chan struct{}{rt.refreshLive, rt.refreshKept} {
		select {
		case wake <- struct{}{}:
		default: // a look is due already
		}
	}
	rt.forgetSoon()
}

// Status returns the state of an installation's process. An installation that was
// never called is Stopped.
func (rt *Runtime) Status(installationID string) Status {
	rt.mu.Lock()
	inst := rt.installations[installationID]
	rt.mu.Unlock()
	if inst == nil {
		return Status{State: Stopped}
	}
	return inst.status()
}

// Close ends all processes without waiting for running calls, and returns when
// they are gone. It kills those that have not ended when ctx is done. Later calls
// return run.ErrUnreachable.
func (rt *Runtime) Close(ctx context.Context) error {
	rt.mu.Lock()
	rt.closed = true
	all := slices.Collect(maps.Keys(rt.processes))
	rt.mu.Unlock()

	stopKilling := context.AfterFunc(ctx, rt.kill)
	defer stopKilling()
	for _, p := range all {
		p.askToEnd()
	}
	for _, p := range all {
		<-p.done
	}
	rt.kill() // no process is left; this ends the watch
	rt.watcher.Wait()
	rt.reporters.Wait()
	rt.host.close()
	return nil
}

func (rt *Runtime) installation(id string) *installation {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	inst := rt.installations[id]
	if inst == nil {
		inst = &installation{rt: rt, id: id}
		rt.installations[id] = inst
	}
	return inst
}

// begin registers a process that is about to start. It returns false if the
// Runtime is closed.
func (rt *Runtime) begin(p *process) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed {
		return false
	}
	rt.processes[p] = struct{}{}
	if id := p.owner.id; !p.owner.trial && rt.installations[id] == nil {
		rt.installations[id] = p.owner // it was forgotten meanwhile
	}
	if rt.cfg.Live != nil && !rt.watching && !p.owner.trial {
		rt.watching = true
		rt.watcher.Go(rt.watchLive)
	}
	return true
}

func (rt *Runtime) reaped(p *process) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	delete(rt.processes, p)
}
