package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/extension/plugin"
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
	socket    *socket // set by the start
	secret    string  // in every request; the host program refuses others
	output    *output // read it once the child has exited
	until     string  // "load" or "hooks" for a trial that does not register the plugin
	kept      bool    // it runs without being called; see Runtime.KeepRunning

	// before is what calls are told while p starts after a failure to load. nil: the last
	// process did not fail like that. It is set before the start.
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
	stalled atomic.Bool   // it was killed, or is about to be, for blocking its event loop
	greedy  atomic.Bool   // the same, for the memory it took

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
		log: slog.New(&tee{Handler: rt.cfg.Log.Handler(), journal: owner.journal()}).With(
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
		return p.socket.dial(ctx)
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
	begun := time.Now()
	c, err := p.start()
	if err == nil {
		err = c.awaitReady(p.rt.startTimeout(p.in)+startMargin, p.rt.tooLate(p.in), p.ending)
	}
	started()
	switch {
	case errors.Is(err, errAskedToEnd):
		c.kill()
		<-c.exited
		return nil
	case err != nil:
		if c != nil {
			c.kill()
			<-c.exited
		}
		return asStartError(err)
	}
	ready()
	p.isReady(c, begun)
	return p.attend(c)
}

// isReady lets the calls in that wait for p. It began to start at begun.
func (p *process) isReady(c *child, begun time.Time) {
	p.mu.Lock()
	p.state, p.since, p.pid = Running, time.Now(), c.pid
	p.mu.Unlock()
	close(p.ready)
	p.log.Info("plugin process ready", slog.Int("pid", c.pid), slog.Bool("shared", p.shares()),
		slog.Duration("took", time.Since(begun).Round(time.Millisecond)))
}

// attend waits until a ready process is gone.
func (p *process) attend(c *child) error {
	stalled, greedy := p.rt.watch(c, watched{
		log: p.log, socket: p.socket, secret: p.secret, heapMiB: p.heapMiB(), busy: func() bool { return p.owner.busy(p) },
	})
	go p.watchHealth(c)
	select {
	case <-c.exited:
		p.greedy.Store(errors.Is(c.exitErr, errMemory)) // the kernel was first
		return endedOnItsOwn(c.exitErr, p.output.told)
	case <-stalled:
		p.stalled.Store(true) // before its running calls break
		c.kill()
		<-c.exited
		return fmt.Errorf("%w for more than %s", errStalled, p.rt.cfg.Stall)
	case err := <-greedy:
		p.greedy.Store(true)
		c.kill()
		<-c.exited
		return err
	case <-p.ending:
	}
	c.askToEnd()
	timer := time.NewTimer(p.rt.cfg.Grace)
	defer timer.Stop()
	select {
	case <-c.exited:
	case <-timer.C:
		p.log.Warn("plugin process killed: it did not end in time", slog.Int("pid", c.pid))
		c.kill()
		<-c.exited
	}
	return nil
}

// start forks the process, which reads its instructions from a pipe.
func (p *process) start() (*child, error) {
	redact := redactor(secretsOf(p.in))
	p.output = newOutput(p.log, redact)
	c, door, err := p.rt.launch(p.in, forkArgs{log: p.log, output: p.output, redact: redact}, p.instructions)
	p.socket = door
	return c, err
}

// heapMiB returns the limit of the process's JavaScript heap.
func (p *process) heapMiB() int { return p.rt.heapMiB(p.in) }

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
