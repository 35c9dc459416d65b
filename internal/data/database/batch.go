package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// maxBatch is the largest number of transactions committed together. With more, the first would
// wait noticeably for the last.
const maxBatch = 64

// errBatch means that a whole batch was rolled back. None of its members took effect; each must run
// again, alone.
var errBatch = errors.New("database: the batch was undone")

// batcher commits small SQLite transactions together that arrive at the same time. A small
// transaction spends most of its time waiting for the disk, which takes as long for sixty of them
// as for one.
//
// Each member is a savepoint of one transaction: if it fails, it alone is rolled back. All callers
// get their answers after the commit, so what was answered is on the disk. If the whole transaction
// is lost, each member runs again, alone; no member ever commits because another did.
//
// The batcher has no goroutine of its own. A caller that finds it idle commits one batch for all
// waiting callers, then hands over to the next caller that arrived in the meantime.
type batcher struct {
	write *sql.DB

	mu      sync.Mutex
	working bool
	queue   []*member
}

// member is one transaction in a batch, or waiting for one.
type member struct {
	ctx context.Context //nolint:containedctx // the caller waits here
	fn  func(Querier) error

	// taken is set once the member is part of a batch; its caller must then wait for the outcome.
	// Guarded by batcher.mu.
	taken bool
	// lead is closed when the member's caller must do the work.
	lead chan struct{}
	// done is closed after err or panicked is set.
	done     chan struct{}
	err      error
	panicked any
}

// inTx is DB.inTx for an fn that may share its transaction with others. fn must be
// short and must not keep the Querier. inTx returns errBatch if fn must run again,
// outside the batch.
func (b *batcher) inTx(ctx context.Context, fn func(Querier) error) error {
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
		<-m.done // it is running or has run: return its outcome
	}
	if m.panicked != nil {
		panic(m.panicked)
	}
	return m.err
}

// leave takes m out of the queue. It reports false if m is already part of a batch.
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

// passOn makes the first in the queue do the work. The caller holds the lock.
func (b *batcher) passOn() {
	if len(b.queue) == 0 {
		b.working = false
		return
	}
	close(b.queue[0].lead)
}

// work commits one batch: m, which is the first in the queue, and the members behind it.
func (b *batcher) work(m *member) {
	// m waits for the connection until its own context ends. The members are chosen after that, so
	// that those that arrive during the wait take part.
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
		_ = conn.Close() // returns it to the pool; a commit is not undone
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

// commit runs the members one after another in one transaction, and sets their errors. If it
// returns an error, no member took effect.
func commit(conn *sql.Conn, batch []*member) error {
	// A member's context is checked before the member runs, and not after: if it ended in the
	// middle, SQLite would roll back the other members.
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

// run calls fn. It saves a panic for the goroutine that fn belongs to.
func (m *member) run(q Querier) {
	defer func() {
		if p := recover(); p != nil {
			m.err, m.panicked = errors.New("database: a transaction panicked"), p
		}
	}()
	m.err = m.fn(q)
}

// uncancelled is a transaction whose statements ignore the end of their contexts.
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
