package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// maxBatch is how many transactions are committed together at most. With more,
// the first would wait noticeably for the last.
const maxBatch = 64

// errBatch says that a batch as a whole was undone: what its members did has not
// happened, and they are to be run again, each by itself.
var errBatch = errors.New("store: the batch was undone")

// batcher commits small transactions that come at the same time together
// (SQLite). Most of what a small one takes is waiting for the disk, which works
// as long on sixty as on one.
//
// Each is a savepoint of one transaction: if it fails it is undone alone and the
// others stand. All are answered after the commit, so that what was answered is
// on the disk. If the transaction is lost as a whole, each is run again by
// itself; no member ever commits because another did.
//
// There is no goroutine of its own: whoever finds nobody at work does the work of
// all who wait, once, and passes it on to the next who came meanwhile.
type batcher struct {
	write *sql.DB

	mu      sync.Mutex
	working bool
	queue   []*member
}

// member is one transaction in a batch, or waiting for one.
type member struct {
	ctx context.Context //nolint:containedctx // the caller waits here
	fn  func(querier) error

	// taken: part of a batch, so that its outcome has to be awaited. Guarded by
	// batcher.mu.
	taken bool
	// lead is closed when it is this one's turn to do the work.
	lead chan struct{}
	// done is closed when err, or panicked, is set.
	done     chan struct{}
	err      error
	panicked any
}

// inTx runs fn like DB.inTx, together with others. fn must be short and must not
// keep the querier. It returns errBatch when fn is to be run again elsewhere.
func (b *batcher) inTx(ctx context.Context, fn func(querier) error) error {
	m := &member{ctx: ctx, fn: fn, lead: make(chan struct{}), done: make(chan struct{})}
	b.mu.Lock()
	b.queue = append(b.queue, m)
	if !b.working {
		b.working = true
		close(m.lead)
	}
	b.mu.Unlock()
	select {
	case <-m.lead:
		b.work(m) //nolint:contextcheck // m has it
	case <-m.done:
	case <-ctx.Done():
		if b.leave(m) {
			return ctx.Err()
		}
		<-m.done // it is being done, or was: say how it ended
	}
	if m.panicked != nil {
		panic(m.panicked)
	}
	return m.err
}

// leave takes m out of the queue. It reports false if m is part of a batch.
func (b *batcher) leave(m *member) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.taken {
		return false
	}
	b.queue = slices.DeleteFunc(b.queue, func(other *member) bool { return other == m })
	select {
	case <-m.lead:
		b.passOn()
	default:
	}
	return true
}

// passOn lets the next in the queue do the work. The caller holds the lock.
func (b *batcher) passOn() {
	if len(b.queue) == 0 {
		b.working = false
		return
	}
	close(b.queue[0].lead)
}

// work commits one batch: m, which is the first in the queue, and who else waits.
func (b *batcher) work(m *member) {
	// The connection is waited for with m's own patience. Only then it is decided
	// who takes part: all who came meanwhile.
	conn, err := b.write.Conn(m.ctx)
	b.mu.Lock()
	n := min(len(b.queue), maxBatch)
	if err != nil {
		n = 1
	}
	batch := slices.Clone(b.queue[:n])
	b.queue = slices.Delete(b.queue, 0, n)
	for _, other := range batch {
		other.taken = true
	}
	b.mu.Unlock()
	if err == nil {
		err = commit(conn, batch)
		_ = conn.Close() // back to the pool; what is committed stays so
	}
	for _, other := range batch {
		if err != nil {
			other.err, other.panicked = errBatch, nil
			if ctxErr := other.ctx.Err(); ctxErr != nil {
				other.err = ctxErr
			}
		}
		close(other.done)
	}
	b.mu.Lock()
	b.passOn()
	b.mu.Unlock()
}

// commit runs the members one after another in one transaction, and sets their
// errors. If it returns an error, nothing of any of them has happened.
func commit(conn *sql.Conn, batch []*member) error {
	// The members' contexts are looked at before each begins. Ended in the middle,
	// one would have SQLite undo what the others did.
	ctx := context.WithoutCancel(batch[0].ctx)
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // a no-op after Commit
	for _, m := range batch {
		if m.err = m.ctx.Err(); m.err != nil {
			continue
		}
		if _, err := tx.ExecContext(ctx, `SAVEPOINT member`); err != nil {
			return err
		}
		m.run(uncancelled{tx})
		if m.err != nil {
			if _, err := tx.ExecContext(ctx, `ROLLBACK TO member`); err != nil {
				return fmt.Errorf("undo a member after %w: %w", m.err, err)
			}
		}
		if _, err := tx.ExecContext(ctx, `RELEASE member`); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// run calls fn. A panic is kept for the goroutine that fn belongs to.
func (m *member) run(q querier) {
	defer func() {
		if p := recover(); p != nil {
			m.err, m.panicked = errors.New("store: a transaction panicked"), p
		}
	}()
	m.err = m.fn(q)
}

// uncancelled is a transaction whose statements end when they are done.
type uncancelled struct{ tx *sql.Tx }

func (u uncancelled) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return u.tx.ExecContext(context.WithoutCancel(ctx), query, args...)
}

func (u uncancelled) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return u.tx.QueryContext(context.WithoutCancel(ctx), query, args...)
}

func (u uncancelled) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return u.tx.QueryRowContext(context.WithoutCancel(ctx), query, args...)
}
