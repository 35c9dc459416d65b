// Package logline writes the log records of a hot path: one for each call to a plugin.
//
// Writer collects such lines in memory and writes many at once, off the path of the calls. Line makes
// them, in the formats of log/slog, without reflection. All other records go through log/slog, and
// leave at once.
package logline

import (
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// delay is how long a line waits for others. With what writing takes, lines are out within 100 ms.
	delay = 20 * time.Millisecond
	// early is how many bytes are written without that delay.
	early = 256 << 10
	// most is how many bytes wait at most. Lines beyond that are lost, because whatever reads the log
	// does not keep up, and calls do not wait for it.
	most = 4 << 20
	// quiet is how long no more lost lines are reported.
	quiet = time.Minute
	// spared is the largest buffer that is kept for later lines.
	spared = 1 << 20
)

// Writer writes lines to another writer. Write passes a line on at once, Put later, both in the order
// of the calls. It is safe for concurrent use.
type Writer struct {
	to    io.Writer
	lose  func(n uint64)
	timer *time.Timer

	writing sync.Mutex // held during a write, so taken before mu

	mu         sync.Mutex
	waiting    []byte // lines that were put
	spare      []byte // the buffer for the next ones
	due        bool   // timer runs
	lost       uint64
	reported   uint64 // of lost
	reportedAt time.Time
}

// NewWriter returns a Writer to w. Flush has to be called before the process ends. If lines are lost,
// lose is called, at most once a minute, with the number since the last call; it may Write. nil: it is
// not needed.
func NewWriter(w io.Writer, lose func(n uint64)) *Writer {
	l := &Writer{to: w, lose: lose}
	l.timer = time.AfterFunc(delay, l.Flush)
	l.timer.Stop()
	return l
}

// Write implements io.Writer. It writes p after all lines that were put before, and waits for that.
func (l *Writer) Write(p []byte) (int, error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.flush()
	return l.to.Write(p)
}

// Put writes a line, with its line feed, soon. It never waits for the other writer: a line that finds
// no room is lost, and counted.
func (l *Writer) Put(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting)+len(line) > most {
		l.lost++
		return
	}
	was := len(l.waiting)
	l.waiting = append(l.waiting, line...)
	switch {
	case !l.due:
		l.due = true
		l.timer.Reset(delay)
	case was < early && len(l.waiting) >= early:
		l.timer.Reset(0)
	}
}

// Lost returns how many lines were lost so far.
func (l *Writer) Lost() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Flush writes all lines that wait.
func (l *Writer) Flush() {
	l.writing.Lock()
	l.flush()
	l.writing.Unlock()
	if n := l.unreported(); n > 0 && l.lose != nil {
		l.lose(n)
	}
}

// unreported returns how many lost lines are due to be reported.
func (l *Writer) unreported() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.lost - l.reported
	if n == 0 || time.Since(l.reportedAt) < quiet {
		return 0
	}
	l.reported, l.reportedAt = l.lost, time.Now()
	return n
}

// flush writes the lines that wait. The caller holds writing.
func (l *Writer) flush() {
	l.mu.Lock()
	lines := l.waiting
	l.waiting, l.spare, l.due = l.spare, nil, false
	l.mu.Unlock()
	if len(lines) > 0 {
		_, _ = l.to.Write(lines) // as with log/slog, an error has nowhere to go
	}
	if cap(lines) <= spared {
		l.mu.Lock()
		l.spare = lines[:0]
		l.mu.Unlock()
	}
}

// Records is where the records of a hot path go.
type Records struct {
	*Writer

	Format Format
	// Odd writes the records that a Line cannot. It writes to Later.
	Odd slog.Handler
}

// Later returns a writer for the handlers of log/slog that writes as Put does.
func (l *Writer) Later() io.Writer { return later{l} }

type later struct{ *Writer }

// Write implements io.Writer.
func (l later) Write(p []byte) (int, error) {
	l.Put(p)
	return len(p), nil
}
