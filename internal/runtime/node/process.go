package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
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
// forked until it is reaped. It is never started again: another takes its place.
type process struct {
	rt    *Runtime
	in    plugin.Installed
	log   *slog.Logger // names the plugin
	owner *installation

	transport *http.Transport
	socket    string
	secret    string  // in every request; the host program refuses others
	output    *output // read it once the child has exited
	until     string  // "load" for a trial that only loads the entry module

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
		return new(net.Dialer).DialContext(ctx, "unix", p.socket)
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
	p.log.Info("plugin process ready",
		slog.Int("pid", c.pid), slog.Duration("took", time.Since(begun).Round(time.Millisecond)))

	return p.attend(c)
}

// attend waits until a ready process is gone.
func (p *process) attend(c *child) error {
	stalled, greedy := p.watch(c)
	go p.watchHealth(c)
	select {
	case <-c.exited:
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

// watch looks after a ready child until it is gone. stalled is closed when its event
// loop is blocked; greedy gets an error when it takes too much memory.
func (p *process) watch(c *child) (stalled <-chan struct{}, greedy <-chan error) {
	var once sync.Once
	loop, memory := make(chan struct{}), make(chan error, 1)
	stall := func() { once.Do(func() { close(loop) }) }
	busy := func() bool { return p.owner.busy(p) }
	var active atomic.Bool
	limit := p.rt.cfg.Stall
	go c.watchHeart(limit, busy, stall)
	go c.watchLoop(p.socket, p.secret, limit, func() bool { return busy() || active.Load() }, stall)
	go c.watchProcessor(beatInterval(limit), p.log, active.Store)
	go c.watchMemory(memoryLimit(p.heapMiB()), memory)
	return loop, memory
}

// start opens the socket and forks the process, which reads its instructions from
// a pipe.
func (p *process) start() (*child, error) {
	h, err := p.rt.host.prepare()
	if err != nil {
		return nil, err
	}
	dir, entry, err := packageFiles(p.rt.cfg.DataDir, p.in.Package)
	if err != nil {
		return nil, &startError{reasonLoadFailed, err}
	}
	socketDir, err := h.processDir()
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	started := false
	defer func() {
		if !started {
			_ = os.RemoveAll(socketDir)
		}
	}()
	p.socket = filepath.Join(socketDir, "s")
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	// Only the child keeps the socket open: connections are refused once it is gone.
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
		dir: dir, permissions: p.in.Permissions(), log: p.log, listener: listener, instructions: instructions,
		output: p.output, redact: redact, memoryMiB: p.heapMiB(),
	})
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	started = true
	c.onExit = func() { _ = os.RemoveAll(socketDir) } // if this fails, it goes with the folder
	go c.wait()
	return c, nil
}

// heapMiB returns the limit of the process's JavaScript heap.
func (p *process) heapMiB() int { return cmp.Or(p.in.Package.Settings.MemoryMb, p.rt.cfg.MemoryMiB) }

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
