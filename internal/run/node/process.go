package node

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"stoa/internal/base/redact"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/child"
	"stoa/internal/run/relay"
)

// idleTimeout is how long a connection to a process may be idle: less than the
// host's keepAliveTimeout (nodehost/).
const idleTimeout = 30 * time.Second

// process serves one installation, from before it starts until it is gone: a Node.js
// process, or a member of one that installations share. It is never started again:
// another takes its place.
type process struct {
	rt    *Runtime
	in    plugin.Installed
	log   *slog.Logger // names the plugin
	owner *installation

	transport *relay.Transport
	child     *child.Child  // set by the start
	output    *child.Output // the same
	secret    string        // in every request; the host program refuses others
	until     string        // "load" or "hooks" for a trial that does not register the plugin
	kept      bool          // stays alive while no call runs; see Runtime.KeepRunning

	// before is what calls get while p starts after a load that failed; nil if the last load did not. It is set before
	// the start.
	before error

	shared *sharedProcess // what it is a member of, if it shares; guarded by Runtime.mu

	// Guarded by installation.mu.
	calls   int
	idle    *time.Timer // set at the end of the first call
	retired bool        // it takes no more calls

	ending  chan struct{} // closed to ask the process to end
	endOnce sync.Once
	ready   chan struct{} // closed when the process is ready or failed to start
	done    chan struct{} // closed when the process is gone

	mu       sync.Mutex
	state    State
	since    time.Time
	pid      int
	startErr error // valid once ready is closed
	unwell   bool  // the plugin's own /health says so
}

func newProcess(rt *Runtime, in plugin.Installed, owner *installation) *process {
	p := &process{
		rt: rt,
		in: in,
		log: child.WithJournal(rt.cfg.Log, owner.journal()).With(
			slog.String("slug", in.Package.Manifest.Slug), slog.String("installationId", in.Instance.ID)),
		owner:  owner,
		ending: make(chan struct{}),
		ready:  make(chan struct{}),
		done:   make(chan struct{}),
		state:  Starting,
		since:  time.Now(),
		secret: rand.Text(),
	}
	p.transport = relay.NewTransport(func(ctx context.Context, _, _ string) (net.Conn, error) {
		return p.child.Dial(ctx)
	}, idleTimeout)
	return p
}

// askToEnd makes the process end. It has a grace period to finish its running
// requests. askToEnd may be called at any time and more than once.
func (p *process) askToEnd() { p.endOnce.Do(func() { close(p.ending) }) }

// run owns the process from fork to reaping.
func (p *process) run() {
	wasReady := false
	err := p.live(func() { wasReady = true })
	p.transport.CloseIdleConnections()

	// Before the channels are closed: those who wait for them must find the
	// installation without p.
	p.owner.ended(p, err)
	if !wasReady {
		if err == nil {
			err = errStopping
		}
		p.mu.Lock()
		p.startErr = asCallError(err)
		p.mu.Unlock()
		close(p.ready)
	}
	p.rt.reaped(p)
	close(p.done)
}

// live starts the process, calls ready when it is ready, and returns when it is
// gone. The error is nil if it was asked to end.
func (p *process) live(ready func()) error {
	// Before its turn to start: a slow storage holds up no other plugin.
	if err := p.rt.fetch(p.in.Package); err != nil {
		return &startError{reasonFiles, err}
	}
	started, ok := p.startTurn()
	if !ok {
		return nil
	}
	if p.shares() {
		return p.liveShared(started, ready)
	}
	begin := time.Now()
	err := p.start()
	if err == nil {
		err = p.awaitReady()
	}
	started()
	if err != nil && p.child != nil {
		p.child.Kill()
		<-p.child.Exited()
	}
	switch {
	case errors.Is(err, child.ErrAskedToEnd):
		return nil
	case err != nil:
		return asStartError(err)
	}
	ready()
	p.isReady(begin)
	return p.attend()
}

// awaitReady returns nil when the plugin can be called.
func (p *process) awaitReady() error {
	err := p.child.Ready(p.rt.startTimeout(p.in)+p.rt.startMargin, p.ending)
	if errors.Is(err, child.ErrLate) {
		return p.rt.tooLate(p.in)
	}
	return err
}

// isReady releases the calls that wait for p. Its start began at begin.
func (p *process) isReady(begin time.Time) {
	now := time.Now()
	p.mu.Lock()
	p.state, p.since, p.pid = Running, now, p.child.PID()
	p.mu.Unlock()
	p.owner.becameReady(now)
	close(p.ready)
	p.log.Info("plugin process ready", slog.Int("pid", p.child.PID()), slog.Bool("shared", p.shares()),
		slog.Duration("took", time.Since(begin).Round(time.Millisecond)))
}

// attend waits until a ready process is gone.
func (p *process) attend() error {
	p.rt.watch(p.child, p.secret, func() bool { return p.owner.busy(p) })
	go p.watchHealth()
	select {
	case <-p.child.Exited():
		return p.child.Err()
	case <-p.ending:
	}
	if !p.child.End(p.rt.cfg.Grace) {
		p.log.Warn("plugin process killed: it did not end in time", slog.Int("pid", p.child.PID()))
	}
	return nil
}

// start forks the process, which reads its instructions from a pipe.
func (p *process) start() error {
	p.output = child.NewOutput(p.log, child.PluginSays, redact.Secrets(p.in.SecretTexts()))
	p.output.CountLost(p.rt.lost.of(p.in.Package.Manifest.Slug))
	c, err := p.rt.launch(p.in, reqctx.Installation(p.in.Instance.ID), child.Spec{Log: p.log, Output: p.output},
		p.instructions)
	p.child = c
	return err
}

// startResult returns nil if the process was ready, else why it was not. It may be
// called once ready is closed.
func (p *process) startResult() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.startErr
}

func (p *process) status() (State, int, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unwell && p.state == Running {
		return Unhealthy, p.pid, p.since
	}
	return p.state, p.pid, p.since
}
