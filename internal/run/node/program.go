package node

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"time"
)

// ProgramConfig says which program runs in a contained Node.js process of its own,
// besides plugins. All fields are required.
type ProgramConfig struct {
	Log  *slog.Logger // gets what the program prints
	Says string       // the message of those records

	// Dir is the program's folder, below the data folder: all it may read. Entry is the
	// file in it that Node.js runs. Both are slash-separated and relative.
	Dir, Entry string

	// Preload is JavaScript that runs before the program. It can read Input on descriptor
	// 0, has to make the program serve HTTP on the listening socket 3, and reports on
	// descriptor 4 as the host program of plugins does (nodehost/src/report.js).
	Preload []byte
	Input   []byte

	// Secrets are removed from what the program prints, and by Redact.
	Secrets []string

	MemoryMiB int           // limit of the JavaScript heap
	Ready     time.Duration // from the start to the report
}

// Program is a running program. It ends with the Runtime. It is safe for concurrent use.
type Program struct {
	rt  *Runtime
	cfg ProgramConfig

	dir, entry, preload string // real paths

	child  *child
	socket *socket
	output *output // read it once the child has exited
	redact func(string) string
}

// Run starts a program and returns when it has reported that it listens. The error says
// why it does not; then nothing runs. The caller runs Watch.
func (rt *Runtime) Run(ctx context.Context, cfg ProgramConfig) (*Program, error) {
	h, err := rt.host.prepare() //nolint:contextcheck // done once, for all
	if err != nil {
		return nil, err
	}
	p := &Program{rt: rt, cfg: cfg}
	if err := p.start(h); err != nil { //nolint:contextcheck // the process outlives the start
		return nil, err
	}
	late := fmt.Errorf("it does not listen at HOST and PORT after %s", cfg.Ready)
	if err := p.child.awaitReady(cfg.Ready, late, ctx.Done()); err != nil {
		p.Kill()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return p, nil
}

func (p *Program) start(h *hostFiles) error {
	var err error
	if p.dir, p.entry, err = realPaths(p.rt.cfg.DataDir, p.cfg.Dir, p.cfg.Entry); err != nil {
		return err
	}
	sum := sha256.Sum256(p.cfg.Preload)
	p.preload = filepath.Join(h.dir, "preload-"+hex.EncodeToString(sum[:8])+".cjs")
	if err := replaceFile(p.preload, p.cfg.Preload); err != nil {
		return fmt.Errorf("node: %w", err)
	}
	door, listener, err := h.listen()
	if err != nil {
		return fmt.Errorf("node: %w", err)
	}
	defer listener.Close()
	p.redact = redactor(p.cfg.Secrets)
	p.output = newOutput(p.cfg.Log, p.redact)
	p.output.says = p.cfg.Says
	p.child, err = p.rt.fork(h, forkArgs{
		dir: p.dir, log: p.cfg.Log, listener: listener, instructions: bytes.NewReader(p.cfg.Input), output: p.output,
		redact: p.redact, memoryMiB: p.cfg.MemoryMiB, program: p,
	})
	if err != nil {
		door.close()
		return fmt.Errorf("node: %w", err)
	}
	p.socket, p.child.onExit = door, door.close
	go p.child.wait()
	return nil
}

// args returns the arguments of Node.js. Every user of the machine can see them, so they
// hold nothing of the input.
func (p *Program) args(h *hostFiles, withoutFlags bool) []string {
	args := memoryArgs(p.cfg.MemoryMiB)
	if !withoutFlags {
		args = append(args, h.node.flags()...)
		args = append(args, "--allow-fs-read="+p.preload, "--allow-fs-read="+p.dir+"/*")
		args = append(args, h.node.scopeFlags(p.dir, filepath.Dir(h.shims))...)
	}
	return append(args, "--require", p.preload, p.entry)
}

// PID returns the id of the process.
func (p *Program) PID() int { return p.child.pid }

// Redact removes from a text of the program its secrets, plain or encoded, and what looks like
// a token.
func (p *Program) Redact(text string) string { return p.redact(text) }

// Dial connects to the program.
func (p *Program) Dial(ctx context.Context) (net.Conn, error) { return p.socket.dial(ctx) }

// Kill ends the process at once and returns when it is gone.
func (p *Program) Kill() {
	p.child.kill()
	<-p.child.exited
}

// End asks the process to end, kills it after Config.Grace, and returns when it is gone.
func (p *Program) End() {
	p.child.askToEnd()
	timer := time.NewTimer(p.rt.cfg.Grace)
	defer timer.Stop()
	select {
	case <-p.child.exited:
	case <-timer.C:
		p.Kill()
	}
}

// Watch looks after the program until it is gone, and returns why it ended. It ends one
// that blocks its event loop or takes too much memory. busy reports whether it is being
// called.
func (p *Program) Watch(busy func() bool) error {
	stalled, greedy := make(chan struct{}), make(chan error, 1)
	stall := sync.OnceFunc(func() { close(stalled) })
	go p.child.watchHeart(p.rt.cfg.Stall, busy, stall)
	go p.child.watchProcessor(beatInterval(p.rt.cfg.Stall), p.rt.processorTime, p.cfg.Log, func(bool) {})
	go p.child.watchMemory(memoryLimit(p.cfg.MemoryMiB), greedy)
	select {
	case <-p.child.exited:
		return endedOnItsOwn(p.child.exitErr, p.output.told)
	case <-stalled:
		p.Kill()
		return fmt.Errorf("%w for more than %s", errStalled, p.rt.cfg.Stall)
	case err := <-greedy:
		p.Kill()
		return err
	}
}
