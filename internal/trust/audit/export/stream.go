package export

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"

	"stoa/internal/base/background"
)

// Cursors record how far the log was sent, and let one process at a time send. They use the clock
// of the database. Package store implements them; the tests of this package check every sentence
// here.
type Cursors interface {
	// Lease gives the stream of a name to a holder for a time, and returns the number of the last
	// entry that was sent, 0 for none. It returns false if another holder has it. It extends the
	// lease of a holder that already has it.
	Lease(ctx context.Context, name, holder string, hold time.Duration) (sent int64, ours bool, err error)

	// Sent records that all entries up to a number were accepted. It returns false, and changes
	// nothing, if another holder has the stream by now.
	Sent(ctx context.Context, name, holder string, seq int64) (bool, error)

	// Failed records why an attempt failed, if the holder has the stream.
	Failed(ctx context.Context, name, holder, reason string) error

	// Release ends the lease, if the holder has it.
	Release(ctx context.Context, name, holder string) error

	// Lag returns how many entries were not sent, the time of the oldest of them (zero without
	// one), and how many attempts have failed since the last success.
	Lag(ctx context.Context, name string) (Lag, error)
}

// Lag is the unsent part of the log.
type Lag struct {
	Entries  int64
	Oldest   time.Time
	Failures int64
}

// Destination accepts lines. It returns nil once it has stored all of them durably.
type Destination interface {
	Take(ctx context.Context, lines []byte) error
}

// StreamName is the name of the stream that stoa serve sends.
const StreamName = "audit"

const (
	// leaseTime is how long a lease of the stream lasts without renewal.
	leaseTime = time.Minute
	// takeLimit is how long a destination may take for a batch. It is well below leaseTime, so that
	// no other process starts while this one is still sending.
	takeLimit = 20 * time.Second
	// lookEvery is how often a process checks for new entries.
	lookEvery = time.Second
	// maxPause is the longest pause after a failure; the first is lookEvery.
	maxPause = 5 * time.Minute
)

// Stream sends the entries of the log, in order, each at least once. Of all processes on a
// database, one sends. Create it as a literal with all exported fields.
type Stream struct {
	Log     Log
	Cursors Cursors
	To      Destination
	Logger  *slog.Logger

	holder   string
	failures int
	next     time.Time // when the next attempt may be made after a failure
}

// Run sends until ctx ends.
func (s *Stream) Run(ctx context.Context) {
	s.holder = rand.Text()
	defer func() { // another process may start at once
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = s.Cursors.Release(leaving, StreamName, s.holder)
	}()
	task := background.Task{
		Every: lookEvery, Log: s.Logger, Failed: "the audit log cannot be streamed",
	}
	task.Run(ctx, s.once)
}

// once sends new entries.
func (s *Stream) once(ctx context.Context) error {
	if time.Now().Before(s.next) {
		return nil
	}
	for ctx.Err() == nil {
		more, err := s.batch(ctx)
		if err != nil {
			s.failures++
			pause := min(lookEvery<<min(s.failures, 12), maxPause)
			s.next = time.Now().Add(pause)
			return fmt.Errorf("retrying in %s: %w", pause, err)
		}
		if s.failures = 0; !more {
			return nil
		}
	}
	return nil
}

// batch sends some entries, and reports whether there may be more.
func (s *Stream) batch(ctx context.Context) (more bool, err error) {
	lag, err := s.Cursors.Lag(ctx, StreamName) // usually there is nothing to send, and this writes nothing
	if err != nil || lag.Entries == 0 {
		return false, err
	}
	sent, ours, err := s.Cursors.Lease(ctx, StreamName, s.holder, leaseTime)
	if err != nil || !ours {
		return false, err
	}
	settling, stop := context.WithTimeout(ctx, takeLimit)
	until, err := s.Log.Settled(settling)
	stop()
	if err != nil || until <= sent {
		return false, err
	}
	list, err := s.Log.After(ctx, sent, until, time.Time{}, time.Time{}, atOnce)
	if err != nil || len(list) == 0 {
		return false, err
	}
	var lines []byte
	for _, e := range list {
		if lines, err = appendLine(lines, e); err != nil {
			return false, err
		}
	}
	// Settled may have waited: the lease must outlast this batch.
	if _, ours, err := s.Cursors.Lease(ctx, StreamName, s.holder, leaseTime); err != nil || !ours {
		return false, err
	}
	taking, cancel := context.WithTimeout(ctx, takeLimit)
	defer cancel()
	if err := s.To.Take(taking, lines); err != nil {
		if noting := s.Cursors.Failed(ctx, StreamName, s.holder, err.Error()); noting != nil {
			return false, noting
		}
		return false, err
	}
	// Also if stoa stops meanwhile, so that accepted entries are not sent again.
	noting, done := context.WithTimeout(context.WithoutCancel(ctx), takeLimit)
	defer done()
	ours, err = s.Cursors.Sent(noting, StreamName, s.holder, list[len(list)-1].Seq)
	return ours && len(list) == atOnce, err
}
