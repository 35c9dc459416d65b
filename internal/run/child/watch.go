package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// ErrMemory says that stoa or the kernel killed a child because it took more memory than
// it may. The heap limit of Node.js does not count Buffers, WebAssembly and code.
var ErrMemory = errors.New("it used too much memory")

const (
	// memoryEvery is how often stoa looks at the memory of a child. In between, the
	// kernel's own limit holds (slackMiB).
	memoryEvery = 100 * time.Millisecond

	// activeShare is the share of one processor above which stoa asks a child whether it
	// still answers. On a busy machine an endless loop gets little.
	activeShare = 0.03
)

// Watch says how a ready child is watched. Busy is required.
type Watch struct {
	Busy func() bool // reports whether calls are running

	// Ping is a request that the program answers at once, sent while the child is busy or
	// computes. Empty: only the signs of life count, which a program can forge.
	Ping string

	Clocks Clocks // tests set it
}

// Clocks are what the looks at a child depend on. A zero field is the real thing.
type Clocks struct {
	Life          Ticks // when to look for signs of life, and to ask
	Processor     Ticks // when to look at the processor time
	ProcessorTime ProcessorClock
}

// Ticks returns the times of looks at a process, about every d. stop is called after the
// last one.
type Ticks func(pid int, d time.Duration) (ticks <-chan time.Time, stop func())

// Watch watches a ready child until it is gone. It kills a child that blocks its event
// loop for too long or takes too much memory, and confines one that computes without
// pause to one processor. It does not wait.
func (c *Child) Watch(w Watch) {
	if w.Clocks.Life == nil {
		w.Clocks.Life = realTicks
	}
	if w.Clocks.Processor == nil {
		w.Clocks.Processor = realTicks
	}
	if w.Clocks.ProcessorTime == nil {
		w.Clocks.ProcessorTime = func(pid int) (time.Duration, time.Time, error) {
			spent, err := processorTime(pid)
			return spent, time.Now(), err
		}
	}
	stalled := func() { c.killFor(fmt.Errorf("%w for more than %s", ErrStalled, c.spec.Stall)) }
	var active atomic.Bool
	go c.watchHeart(w, stalled)
	go c.watchProcessor(w, &active)
	if w.Ping != "" {
		go c.watchLoop(w, func() bool { return w.Busy() || active.Load() }, stalled)
	}
	go c.watchMemory(memoryLimit(c.spec.HeapMiB))
}

func realTicks(_ int, d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}

// looks calls look at each tick until it returns false or the child is gone.
func (c *Child) looks(clock Ticks, look func() bool) {
	ticks, stop := clock(c.pid, BeatInterval(c.spec.Stall))
	defer stop()
	for {
		select {
		case <-c.exited:
			return
		case <-ticks:
		}
		if !look() {
			return
		}
	}
}

// watchHeart calls stalled when the child has shown no sign of life for too long.
func (c *Child) watchHeart(w Watch, stalled func()) {
	c.looks(w.Clocks.Life, func() bool {
		if !c.heart.stalled(w.Busy()) {
			return true
		}
		stalled()
		return false
	})
}

// watchLoop calls stalled when the child's event loop does not accept and answer a
// connection within the limit. A loop that writes signs of life can deceive watchHeart;
// it cannot deceive this. It asks the child while asked returns true.
func (c *Child) watchLoop(w Watch, asked func() bool, stalled func()) {
	limit := c.spec.Stall
	c.looks(w.Clocks.Life, func() bool {
		// A second time: if stoa itself was halted, the child is not to blame.
		if !asked() || c.ping(w.Ping, limit) || c.ping(w.Ping, BeatInterval(limit)) {
			return true
		}
		stalled()
		return false
	})
}

// ping reports whether the child answers a request, or does not listen at all.
func (c *Child) ping(request string, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	conn, err := c.Dial(ctx)
	if err != nil {
		return !timedOut(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(limit)) //nolint:errcheck,gosec // else the next line fails
	if _, err = io.WriteString(conn, request); err != nil {
		return true // it closes connections, so its event loop runs
	}
	_, err = conn.Read(make([]byte, 1))
	return !timedOut(err)
}

func timedOut(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// watchProcessor measures how much the child computes, and throttles it while it does so
// without pause. It sets active to whether the child computes at all.
func (c *Child) watchProcessor(w Watch, active *atomic.Bool) {
	var t throttle
	c.looks(w.Clocks.Processor, func() bool {
		spent, now, err := w.Clocks.ProcessorTime(c.pid)
		if err != nil {
			return false // gone, or not on this system
		}
		active.Store(t.look(c.pid, spent, now, c.spec.Log) > activeShare)
		return true
	})
}

// watchMemory kills the child when it takes more than limit bytes of memory, the files in its
// temporary folder and what the kernel keeps for it included.
func (c *Child) watchMemory(limit int64) {
	memory, err := openMemory(c.pid, c.contained)
	if err != nil {
		return // gone, or not on this system
	}
	defer memory.Close()
	look := time.NewTicker(memoryEvery)
	defer look.Stop()
	for {
		select {
		case <-c.exited:
			return
		case <-look.C:
		}
		if own, kernel, err := memory.look(); err == nil && own+kernel > limit {
			c.killFor(fmt.Errorf("%w: %d MiB of %d MiB, %d MiB of them in the kernel (sockets, page tables)",
				ErrMemory, (own+kernel)>>20, limit>>20, kernel>>20))
			return
		}
	}
}

// memoryLimit is what a process with a heap of heapMiB may take, in bytes.
func memoryLimit(heapMiB int) int64 { return int64(heapMiB+extraMiB) << 20 }
