// Package live remembers which sessions are alive, so that a request of a signed-in user needs no
// statement, and forgets a session before the answer of whoever ended it.
//
// Whoever ends a session or changes a user leaves a numbered row in the same transaction (Log). A
// process answers from memory only while it holds a lease, which ends a second after it last asked for
// such rows. Whoever left a row waits until every process with a lease has taken it, or until each
// lease that did not take it has ended. No clocks of different machines are compared: a lease is
// measured by the process that holds it, a wait by the process that waits.
//
// What a session or a user is, is not known here.
package live

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/base/cache"
)

const (
	// Lease is how long a process may answer from memory after it began to ask for rows.
	Lease = time.Second
	// renewEvery is how often it asks while somebody uses the memory.
	renewEvery = 300 * time.Millisecond
	// unusedTicks is after how many such times without use a process gives its lease up.
	unusedTicks = 10
	// maxSessions is how many sessions are remembered. Each takes about half a KiB.
	maxSessions = 16_384
	// maxUsers is how many changed users are told apart. Beyond that everything is forgotten.
	maxUsers = 4_096
)

// Row names what has to be forgotten: a session, or all sessions of a user if Session is empty.
type Row struct {
	Number        int64
	Session, User string
}

// Changes is the state of the rows for one reader.
type Changes struct {
	Number int64 // of the last row
	Rows   []Row // those behind the asked number, in order
	Whole  bool  // none of them is missing
	Known  bool  // the reader is registered, and Taken is what it took last
	Taken  int64
}

// Log is where the rows are. A reader is a process that answers from memory; it has a name of its own.
type Log interface {
	// Join registers a reader that has taken no row. It returns false if this process must not answer
	// from memory. Others see the reader before Join returns.
	Join(ctx context.Context, reader string) (bool, error)

	// Changes returns the rows after number, and what is known of the reader, all of one moment.
	Changes(ctx context.Context, reader string, number int64) (Changes, error)

	// Took notes that the reader has forgotten what the rows up to number name. It returns false for a
	// reader that is not registered.
	Took(ctx context.Context, reader string, number int64) (bool, error)

	// Leave removes a reader. It does not matter whether there is one.
	Leave(ctx context.Context, reader string) error

	// Behind reports whether any other reader has not taken the row with that number.
	Behind(ctx context.Context, reader string, number int64) (bool, error)

	// Drop removes all other readers that have not taken the row with that number.
	Drop(ctx context.Context, reader string, number int64) error

	// Listen calls heard soon after other processes left rows, if the database tells, and once when it
	// begins to listen. It returns when ctx is done or the database no longer tells.
	Listen(ctx context.Context, heard func()) error
}

// Memory remembers a value for each session. Make it with New and run Keep. It is safe for concurrent
// use.
type Memory[V any] struct {
	log    Log
	reader string
	clock  func() (time.Duration, bool)

	until  atomic.Int64 // end of the lease, by clock; 0 without one
	used   atomic.Bool  // since the last tick
	wanted chan struct{}

	renewing sync.Mutex // held while rows are taken
	joined   bool       // guarded by renewing

	mu       sync.RWMutex
	taken    int64
	sessions *cache.Cache[string, entry[V]]
	users    map[string]int64 // the last row that named the whole user
	age      int64            // how often everything was forgotten
}

type entry[V any] struct {
	value V
	user  string
	also  []string
	mark  int64 // the rows that were taken when it was read
}

// New returns a Memory for the process with that name. clock is a clock that runs on while the machine
// is suspended (Boottime); where it fails, nothing is answered from memory.
func New[V any](log Log, reader string, clock func() (time.Duration, bool)) *Memory[V] {
	m := &Memory[V]{log: log, reader: reader, clock: clock, wanted: make(chan struct{}, 1)}
	m.forget()
	return m
}

// forget forgets everything. The caller holds mu, or is New.
func (m *Memory[V]) forget() {
	m.sessions, m.users = cache.New[string, entry[V]](maxSessions), make(map[string]int64)
	m.age++
}

// begin forgets everything, rows that were taken included: the database may have been restored while this
// process was not registered, and then count as far as before with other rows.
func (m *Memory[V]) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget()
	m.taken = 0
}

// Get returns what is remembered of a session, if this process may use it now.
func (m *Memory[V]) Get(session string) (value V, ok bool) {
	if !m.use() {
		return value, false
	}
	m.mu.RLock()
	e, ok := m.sessions.Get(session)
	if ok {
		ok = !m.named(e)
	}
	m.mu.RUnlock()
	// Last, because this process may have been halted until just now.
	if !ok || !m.leased() {
		var none V
		return none, false
	}
	return e.value, true
}

// named reports whether a row named what e is about since it was read. The caller holds mu.
func (m *Memory[V]) named(e entry[V]) bool {
	if e.mark < m.users[e.user] {
		return true
	}
	for _, name := range e.also {
		if e.mark < m.users[name] {
			return true
		}
	}
	return false
}

// use notes that the memory is used, and asks for a lease if there is none. It reports whether there is one, which may
// have ended.
func (m *Memory[V]) use() bool {
	if !m.used.Load() {
		m.used.Store(true)
	}
	if m.until.Load() != 0 {
		return true
	}
	select {
	case m.wanted <- struct{}{}:
	default:
	}
	return false
}

// leased reports whether the lease has not ended.
func (m *Memory[V]) leased() bool {
	now, ok := m.clock()
	return ok && int64(now) < m.until.Load()
}

// Mark is to be taken before what Put gets is read.
func (m *Memory[V]) Mark() int64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.taken
}

// Put remembers what was read of a session and its user since mark was taken, unless rows were taken
// meanwhile: they may be about it. A row that names one of also, in place of a user, makes it forgotten, too.
func (m *Memory[V]) Put(mark int64, session, user string, value V, also ...string) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if mark == m.taken && mark > 0 {
		m.sessions.Put(session, entry[V]{value, user, also, mark})
	}
}

// Forget forgets a session that turned out to have ended: the row that says so may not have been taken
// yet, as when another program ended it.
func (m *Memory[V]) Forget(session string) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	m.sessions.Remove(session)
}

// take forgets what the rows name.
func (m *Memory[V]) take(changes Changes) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !changes.Whole || len(m.users) > maxUsers {
		m.forget()
	}
	for _, row := range changes.Rows {
		if row.Session != "" {
			m.sessions.Remove(row.Session)
		} else {
			m.users[row.User] = row.Number
		}
	}
	m.taken = changes.Number
}

// renew takes the rows there are and renews the lease, if this process has one or join says so. It
// returns the number of the last row.
func (m *Memory[V]) renew(ctx context.Context, join bool) (int64, error) {
	m.renewing.Lock()
	defer m.renewing.Unlock()
	if join && !m.joined {
		if _, ok := m.clock(); !ok {
			return 0, nil
		}
		ok, err := m.log.Join(ctx, m.reader)
		if err != nil || !ok {
			return 0, err
		}
		m.joined = true
		m.begin()
	}
	began, _ := m.clock() // before the question
	changes, err := m.log.Changes(ctx, m.reader, m.Mark())
	if err != nil || !m.joined {
		return changes.Number, err
	}
	// A lease is given only while the reader is known to have taken all rows: whoever ends a session
	// waits for it then, or for the end of this lease.
	known := changes.Known && changes.Taken == changes.Number
	if changes.Number != m.Mark() {
		m.take(changes)
	}
	if changes.Known && !known {
		if known, err = m.log.Took(ctx, m.reader, changes.Number); err != nil {
			return changes.Number, err
		}
	}
	if !known { // somebody waited for it for too long
		m.joined = false
		m.until.Store(0)
		return changes.Number, nil
	}
	m.until.Store(int64(began + Lease))
	return changes.Number, nil
}

// leave gives the lease up.
func (m *Memory[V]) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, Lease)
	defer cancel()
	m.renewing.Lock()
	defer m.renewing.Unlock()
	m.until.Store(0)
	if m.joined {
		m.joined = false
		_ = m.log.Leave(ctx, m.reader) // else whoever ends a session waits once
	}
}
