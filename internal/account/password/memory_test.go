package password

import (
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"
)

// 500 people who sign in at once take the memory of two, and what the garbage
// collector is behind with: the rest wait, or are told to come back. Without the
// bound it would be 9.5 GiB.
//
// Not parallel: other tests' memory would count.
func TestMemoryStaysFlatAt500ConcurrentLogins(t *testing.T) { //nolint:paralleltest // see above
	const logins, parallel, waiting = 500, 2, 30

	h := NewHasher(Default, Limits{Parallel: parallel, Waiting: waiting, MaxWait: time.Hour})
	hash, err := h.Hash(t.Context(), "secret")
	if err != nil {
		t.Fatal(err)
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse
	}
	runtime.GC()
	before, peak := heap(), uint64(0)
	var (
		mu     sync.Mutex
		served int
		busy   int
		all    sync.WaitGroup
		begin  = make(chan struct{})
		over   = make(chan struct{})
	)
	for range logins {
		all.Go(func() {
			<-begin
			match, _, err := h.Verify(t.Context(), hash, "secret")
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && match:
				served++
			case errors.Is(err, ErrBusy):
				busy++
			default:
				t.Errorf("Verify = %v, %v", match, err)
			}
		})
	}
	go func() { all.Wait(); close(over) }()
	close(begin)
	for running := true; running; {
		select {
		case <-over:
			running = false
		default:
			peak = max(peak, heap())
			runtime.Gosched()
		}
	}
	const mib = 1 << 20
	// Memory of hashes that are done is garbage until the heap has grown by the collector's
	// percentage. Hashes that begin while it is being collected count as alive, and so raise what it may grow to:
	// each of them is followed by another at most.
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	times := 2 * uint64(1+percent/100)
	bound := before + times*parallel*uint64(Default.MemoryKiB)<<10 + 32*mib
	t.Logf("%d served, %d refused; heap %d MiB before, %d MiB at most", served, busy, before/mib, peak/mib)
	if peak > bound {
		t.Errorf("the heap grew to %d MiB, want %d at most", peak/mib, bound/mib)
	}
	if served+busy != logins || served < parallel+waiting || busy == 0 {
		t.Errorf("%d served and %d refused of %d, want at least %d served and some refused", served, busy, logins,
			parallel+waiting)
	}
}
