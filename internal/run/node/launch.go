package node

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"stoa/internal/extension/plugin"
)

// launch opens a socket and forks the host program for in. It completes a; what the
// host program reads is what instructions returns for the path of the entry module.
// The socket is closed when the child has exited.
func (rt *Runtime) launch(
	in plugin.Installed, a forkArgs, instructions func(entry string) (io.Reader, error),
) (*child, *socket, error) {
	h, err := rt.host.prepare()
	if err != nil {
		return nil, nil, err
	}
	dir, entry, err := packageFiles(rt.cfg.DataDir, in.Package)
	if err != nil {
		return nil, nil, &startError{reasonLoadFailed, err}
	}
	if a.instructions, err = instructions(entry); err != nil {
		return nil, nil, err
	}
	if f, ok := a.instructions.(*os.File); ok {
		defer f.Close() // the child has its own
	}
	door, listener, err := h.listen()
	if err != nil {
		return nil, nil, fmt.Errorf("node: %w", err)
	}
	defer listener.Close()
	a.dir, a.permissions, a.listener, a.memoryMiB = dir, in.Permissions(), listener, rt.heapMiB(in)
	c, err := rt.fork(h, a)
	if err != nil {
		door.close()
		return nil, nil, fmt.Errorf("node: %w", err)
	}
	c.onExit = door.close
	go c.wait()
	return c, door, nil
}

// heapMiB returns the limit of the JavaScript heap of a process of in.
func (rt *Runtime) heapMiB(in plugin.Installed) int {
	return cmp.Or(in.Package.Settings.MemoryMb, rt.cfg.MemoryMiB)
}

// watched is what there is to know of a child that is looked after.
type watched struct {
	log     *slog.Logger
	socket  *socket
	secret  string
	heapMiB int
	busy    func() bool // calls are running
}

// watch looks after a ready child until it is gone. stalled is closed when its event
// loop is blocked; greedy gets an error when it takes too much memory.
func (rt *Runtime) watch(c *child, w watched) (stalled <-chan struct{}, greedy <-chan error) {
	var once sync.Once
	loop, memory := make(chan struct{}), make(chan error, 1)
	stall := func() { once.Do(func() { close(loop) }) }
	var active atomic.Bool
	limit := rt.cfg.Stall
	go c.watchHeart(limit, w.busy, stall)
	go c.watchLoop(w.socket, w.secret, limit, func() bool { return w.busy() || active.Load() }, stall)
	go c.watchProcessor(beatInterval(limit), rt.processorTime, w.log, active.Store)
	go c.watchMemory(memoryLimit(w.heapMiB), memory)
	return loop, memory
}
