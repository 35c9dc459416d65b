package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/plugin"
	"stoa/internal/runtime/relay"
)

// idleTimeout is how long a connection to a process may be idle: less than the
// host's keepAliveTimeout (nodehost/).
const idleTimeout = 30 * time.Second

// process is one Node.js process that serves one installation, from before it is
// forked until it is reaped. It never comes back: a new one takes its place.
type process struct {
	rt    *Runtime
	in    plugin.Installed
	log   *slog.Logger // names the plugin
	owner *installation

	transport *http.Transport
	socket    string
	output    *output // read it once the child has exited
	until     string  // "load" for a trial that only loads the entry module

	// Guarded by installation.mu.
	calls   int
	idle    *time.Timer // set at the end of the first call
	retired bool        // takes no more calls

	ending  chan struct{} // closed to ask the process to end
	endOnce sync.Once
	ready   chan struct{} // closed when the process is ready, or failed to get there
	done    chan struct{} // closed when the process is gone
	stalled atomic.Bool   // killed, or about to be, for blocking its event loop

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
	}
	p.transport = relay.NewTransport(func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", p.socket)
	}, idleTimeout)
	return p
}

// askToEnd makes the process end: it may finish its running requests for a grace
// period. It may be called at any time and more than once.
func (p *process) askToEnd() { p.endOnce.Do(func() { close(p.ending) }) }

// run owns the process from fork to reaping.
func (p *process) run() {
	wasReady := false
	err := p.live(func() { wasReady = true })
	p.transport.CloseIdleConnections()

	// First of all: whoever waits below must find the installation without p.
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

// live starts the process, calls ready once it is, and returns when it is gone:
// without an error if it was asked to end.
func (p *process) live(ready func()) error {
	select {
	case p.rt.starting <- struct{}{}:
	case <-p.ending:
		return nil
	}
	begun := time.Now()
	c, err := p.start()
	if err == nil {
		err = c.awaitReady(p.in.Package.Settings.StartTimeout(p.rt.cfg.StartTimeout), p.ending)
	}
	<-p.rt.starting
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
	p.mu.Lock()
	p.state, p.since, p.pid = Running, time.Now(), c.pid
	p.mu.Unlock()
	close(p.ready)
	p.log.Info("plugin process ready", slog.Int("pid", c.pid), slog.Duration("took", time.Since(begun).Round(time.Millisecond)))

	return p.attend(c)
}

// attend waits for the end of a ready process.
func (p *process) attend(c *child) error {
	stalled := make(chan struct{})
	go p.watchHealth(c)
	go c.watchHeart(p.rt.cfg.Stall, func() bool { return p.owner.busy(p) }, stalled)
	select {
	case <-c.exited:
		return endedOnItsOwn(c.exitErr, p.output.told)
	case <-stalled:
		p.stalled.Store(true) // before the calls in flight break
		c.kill()
		<-c.exited
		return fmt.Errorf("%w for more than %s", errStalled, p.rt.cfg.Stall)
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

// start forks the process, with its socket open and its instructions on the way.
func (p *process) start() (*child, error) {
	h, err := p.rt.host.prepare()
	if err != nil {
		return nil, err
	}
	dir, entry, err := packageFiles(p.rt.cfg.DataDir, p.in.Package)
	if err != nil {
		return nil, &startError{reasonLoadFailed, err}
	}
	p.socket = h.socketPath()
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	// Only the child keeps the socket open: when it is gone, calls are refused.
	defer ln.Close()
	ln.SetUnlinkOnClose(false)
	listener, err := ln.File()
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	defer listener.Close()

	instructions, err := p.instructions(entry)
	if err != nil {
		return nil, err
	}
	redact := redactor(secretsOf(p.in))
	p.output = newOutput(p.log, redact)
	c, err := p.rt.fork(h, forkArgs{
		dir: dir, listener: listener, instructions: instructions, output: p.output, redact: redact,
		memoryMiB: cmp.Or(p.in.Package.Settings.MemoryMb, p.rt.cfg.MemoryMiB),
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("node: %w", err), os.Remove(p.socket))
	}
	c.onExit = func() { _ = os.Remove(p.socket) } // a leftover goes with the folder
	go c.wait()
	return c, nil
}

// startResult is nil once the process was ready, else why it was not. To be
// called when ready is closed.
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
