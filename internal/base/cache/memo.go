package cache

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
)

// maxMemoKey is the length of the longest text in bytes that a Memo remembers.
const maxMemoKey = 256

// Memo caches a pure function of a text, for the first texts that it gets; for all others it calls
// the function each time. So forged texts cost time, not memory, and the usual texts, which come
// first, cost next to nothing. Make it with NewMemo. It is safe for concurrent use.
type Memo[V any] struct {
	limit int
	of    func(string) V

	known atomic.Pointer[map[string]V] // immutable; replaced by a larger one
	mu    sync.Mutex                   // held while it is replaced
}

// NewMemo returns a Memo of a function, for at most limit texts.
func NewMemo[V any](limit int, of func(string) V) *Memo[V] {
	m := &Memo[V]{limit: limit, of: of}
	m.known.Store(new(map[string]V))
	return m
}

// Of returns the function's value for text.
func (m *Memo[V]) Of(text string) V {
	if v, ok := (*m.known.Load())[text]; ok {
		return v
	}
	v := m.of(text)
	if len(text) > maxMemoKey || len(*m.known.Load()) >= m.limit {
		return v
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if old := *m.known.Load(); len(old) < m.limit {
		larger := make(map[string]V, len(old)+1)
		maps.Copy(larger, old)
		larger[strings.Clone(text)] = v // text may be a part of a whole request
		m.known.Store(&larger)
	}
	return v
}
