package live

import "sync/atomic"

// One remembers one value beside the sessions of a Memory, under the same lease, until a row names it in place of a
// user. Make it with Beside. It is safe for concurrent use.
type One[T any] struct {
	memory anyMemory
	name   string
	last   atomic.Pointer[aged[T]]
}

// Beside returns a One that rows name as the user with that name, which no user has.
func Beside[T, V any](m *Memory[V], name string) *One[T] { return &One[T]{memory: m, name: name} }

// anyMemory is a Memory of anything.
type anyMemory interface {
	use() bool
	moment() Moment
	holds(name string, at Moment) bool
}

// Moment is up to where rows were taken.
type Moment struct{ mark, age int64 }

type aged[T any] struct {
	value T
	at    Moment
}

// Get returns the value, if this process remembers it and may use it now.
func (o *One[T]) Get() (value T, ok bool) {
	if !o.memory.use() {
		return value, false
	}
	if last := o.last.Load(); last != nil && o.memory.holds(o.name, last.at) {
		return last.value, true
	}
	return value, false
}

// Moment is to be taken before what Put gets is read.
func (o *One[T]) Moment() Moment { return o.memory.moment() }

// Put remembers what was read since that moment, unless rows were taken meanwhile: they may be about it.
func (o *One[T]) Put(at Moment, value T) {
	if at.mark > 0 && at == o.memory.moment() {
		o.last.Store(&aged[T]{value, at})
	}
}

func (m *Memory[V]) moment() Moment {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return Moment{m.taken, m.age}
}

// holds reports whether nothing that was taken since that moment names name, and this process has a lease.
func (m *Memory[V]) holds(name string, at Moment) bool {
	m.mu.RLock()
	ok := at.age == m.age && at.mark >= m.users[name]
	m.mu.RUnlock()
	return ok && m.leased() // last, because this process may have been halted until just now
}
