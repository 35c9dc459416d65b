package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"
)

// errMemory ends a process that takes more memory than it may. The heap limit of
// Node.js does not count Buffers, WebAssembly and code.
var errMemory = errors.New("it used too much memory")

const (
	// memoryEvery is how often stoa looks at a process's memory. In between the
	// kernel's own limit holds (slackMiB).
	memoryEvery = 100 * time.Millisecond

	// activeShare is the share of one processor from which on it is worth asking whether
	// a process still answers. On a busy machine an endless loop gets little.
	activeShare = 0.03
)

// memoryLimit is what a process with a heap of heapMiB may have in memory, in bytes.
func memoryLimit(heapMiB int) int64 { return int64(heapMiB+extraMiB) << 20 }

// watchMemory sends errMemory when the child has more than limit bytes in memory,
// and returns then or when it is gone.
func (c *child) watchMemory(limit int64, ended chan<- error) {
	statm, err := openStat(c.pid)
	if err != nil {
		return // not on this system
	}
	defer statm.Close()
	look := time.NewTicker(memoryEvery)
	defer look.Stop()
	for {
		select {
		case <-c.exited:
			return
		case <-look.C:
		}
		if size, err := statm.resident(); err == nil && size > limit {
			ended <- fmt.Errorf("%w: %d MiB of %d MiB", errMemory, size>>20, limit>>20)
			return
		}
	}
}

// watchProcessor looks how much the child computes, and confines it while it does so
// without pause. active is told at each look whether it computes at all.
func (c *child) watchProcessor(every time.Duration, used processorClock, log *slog.Logger, active func(bool)) {
	look := time.NewTicker(every)
	defer look.Stop()
	var con confinement
	for {
		select {
		case <-c.exited:
			return
		case <-look.C:
		}
		spent, err := used(c.pid)
		if err != nil {
			return // gone, or not on this system
		}
		active(con.look(c.pid, spent, time.Now(), log) > activeShare)
	}
}

// watchLoop closes stalled when the child's event loop does not accept and answer a
// connection within limit. The heart can be forged by a loop that writes its beats;
// this cannot. It asks while asked reports that there is reason to.
func (c *child) watchLoop(door *socket, secret string, limit time.Duration, asked func() bool, stalled func()) {
	look := time.NewTicker(beatInterval(limit))
	defer look.Stop()
	for {
		select {
		case <-c.exited:
			return
		case <-look.C:
		}
		if !asked() || ping(door, secret, limit) {
			continue
		}
		// Once more: if stoa itself was halted, the plugin is not to blame.
		if ping(door, secret, beatInterval(limit)) {
			continue
		}
		stalled()
		return
	}
}

// ping reports whether the host program answers, or does not listen at all.
func ping(door *socket, secret string, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	conn, err := door.dial(ctx)
	if err != nil {
		var timeout net.Error
		return !errors.As(err, &timeout) || !timeout.Timeout()
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(limit)) //nolint:errcheck,gosec // else the next line fails
	_, err = fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: stoa\r\n%s: %s-ping\r\nConnection: close\r\n\r\n", processHeader,
		secret)
	if err != nil {
		return true // it closes: nothing that computes without end does
	}
	_, err = conn.Read(make([]byte, 1))
	var timeout net.Error
	return !errors.As(err, &timeout) || !timeout.Timeout()
}
