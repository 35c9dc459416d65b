package live_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/account/live"
)

// database is a live.Log that several processes share. Rows appear in the order of their numbers.
type database struct {
	mu      sync.Mutex
	number  int64
	rows    []live.Row
	readers map[string]int64
	kept    int // rows
	refuse  bool
	away    bool
	asked   int
	evict   bool // readers are removed when Changes has answered
}

func newDatabase() *database {
	return &database{number: 1, readers: make(map[string]int64), kept: 1000}
}

var errAway = errors.New("the database is away")

func (d *database) locked(fn func()) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	if d.away {
		return errAway
	}
	fn()
	return nil
}

// revoke commits a row.
func (d *database) revoke(session, user string) {
	_ = d.locked(func() {
		d.number++
		d.rows = append(d.rows, live.Row{Number: d.number, Session: session, User: user})
		d.rows = d.rows[max(0, len(d.rows)-d.kept):]
	})
}

func (d *database) Join(_ context.Context, reader string) (ok bool, err error) {
	err = d.locked(func() {
		if ok = !d.refuse; ok {
			d.readers[reader] = 0
		}
	})
	return ok, err
}

func (d *database) Changes(_ context.Context, reader string, number int64) (n live.Changes, err error) {
	err = d.locked(func() {
		n.Number = d.number
		n.Taken, n.Known = d.readers[reader]
		for _, row := range d.rows {
			if row.Number > number {
				n.Rows = append(n.Rows, row)
			}
		}
		n.Whole = int64(len(n.Rows)) == d.number-number
		if d.evict {
			clear(d.readers)
		}
	})
	return n, err
}

func (d *database) Took(_ context.Context, reader string, number int64) (known bool, err error) {
	err = d.locked(func() {
		if _, known = d.readers[reader]; known {
			d.readers[reader] = number
		}
	})
	return known, err
}

func (d *database) Leave(_ context.Context, reader string) error {
	return d.locked(func() { delete(d.readers, reader) })
}

func (d *database) Behind(_ context.Context, reader string, number int64) (behind bool, err error) {
	err = d.locked(func() {
		for name, taken := range d.readers {
			behind = behind || name != reader && taken < number
		}
	})
	return behind, err
}

func (d *database) Drop(_ context.Context, reader string, number int64) error {
	return d.locked(func() {
		for name, taken := range d.readers {
			if name != reader && taken < number {
				delete(d.readers, name)
			}
		}
	})
}

func (d *database) Listen(ctx context.Context, _ func()) error { <-ctx.Done(); return ctx.Err() }

func (d *database) questions() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked
}

func (d *database) names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for name := range d.readers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// process is a Memory that can be halted, as a process that is stopped.
type process struct {
	*live.Memory[string]

	gate   chan struct{} // full while it is halted, or asks
	broken bool
}

func (p *process) halt() { p.gate <- struct{}{} }

func (p *process) resume() { <-p.gate }

// start runs a process until the test ends.
func start(t *testing.T, d *database, name string) *process {
	t.Helper()
	p := &process{gate: make(chan struct{}, 1)}
	began := time.Now()
	p.Memory = live.New[string](haltable{d, p}, name, func() (time.Duration, bool) {
		return time.Since(began) + time.Hour, !p.broken
	})
	ctx, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { p.Keep(ctx) })
	t.Cleanup(func() { stop(); done.Wait() })
	return p
}

// haltable asks the database only while its process runs.
type haltable struct {
	*database

	p *process
}

func (h haltable) Changes(ctx context.Context, reader string, number int64) (live.Changes, error) {
	h.p.halt() // wait while it is halted
	defer h.p.resume()
	return h.database.Changes(ctx, reader, number)
}

func (h haltable) Took(ctx context.Context, reader string, number int64) (bool, error) {
	h.p.halt() // wait while it is halted
	defer h.p.resume()
	return h.database.Took(ctx, reader, number)
}

// warm has a process remember a session, as requests do.
func (p *process) warm(t *testing.T, session, value string) {
	t.Helper()
	p.Get(session) // asks for a lease
	synctest.Wait()
	p.Put(p.Mark(), session, "u", value)
	if got, ok := p.Get(session); !ok || got != value {
		t.Fatalf("remembered %q, %t", got, ok)
	}
}

func (p *process) wantForgotten(t *testing.T, session string) {
	t.Helper()
	if got, ok := p.Get(session); ok {
		t.Errorf("%s is still remembered: %q", session, got)
	}
}

// settled returns how long Settle took.
func (p *process) settled(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	p.Settle(t.Context())
	return time.Since(began)
}

func run(t *testing.T, fn func(t *testing.T, d *database)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { fn(t, newDatabase()) })
}
