package duty

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// fakeStore is a Store in memory.
type fakeStore struct {
	mu     sync.Mutex
	holder string
	until  time.Time
	down   bool
}

var errDown = errors.New("down")

func (s *fakeStore) Acquire(ctx context.Context, _, holder string, lease time.Duration) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return false, errDown
	}
	if s.holder != holder && time.Now().Before(s.until) {
		return false, nil
	}
	s.holder, s.until = holder, time.Now().Add(lease)
	return true, ctx.Err()
}

func (s *fakeStore) Release(_ context.Context, _, holder string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return errDown
	}
	if s.holder == holder {
		s.until = time.Time{}
	}
	return nil
}

func (s *fakeStore) set(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

const (
	lease = 20 * time.Second
	grace = 12 * time.Second
	every = 2 * time.Second
)

// worker is a process that wants the duty. Its work takes lag to end.
type worker struct {
	store   Store
	lag     time.Duration
	active  *atomic.Int64 // workers that are at work
	most    *atomic.Int64
	started atomic.Int64 // how often it acquired the duty
}

func (w *worker) keep(ctx context.Context) {
	d := &Duty{
		Name: "d", Store: w.store, Lease: lease, Grace: grace, Every: every,
		Log: slog.New(slog.DiscardHandler),
	}
	d.Keep(ctx, func(ctx context.Context) {
		w.started.Add(1)
		w.most.Store(max(w.most.Load(), w.active.Add(1)))
		<-ctx.Done()
		time.Sleep(w.lag)
		w.active.Add(-1)
	})
}

func TestOneProcessIsOnDutyAndAnotherTakesOver(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var active, most atomic.Int64
		store := &fakeStore{}
		first := &worker{store: store, active: &active, most: &most, lag: time.Second}
		second := &worker{store: store, active: &active, most: &most, lag: time.Second}
		ctx, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { first.keep(ctx) })
		time.Sleep(time.Second)
		later, leaveToo := context.WithCancel(t.Context())
		all.Go(func() { second.keep(later) })

		time.Sleep(10 * time.Minute)
		if first.started.Load() != 1 || second.started.Load() != 0 {
			t.Errorf("the duty was acquired %d and %d times in ten minutes, want 1 and 0", first.started.Load(), second.started.Load())
		}
		leave() // it releases the duty
		time.Sleep(time.Second + every + time.Millisecond)
		if second.started.Load() != 1 || active.Load() != 1 {
			t.Errorf("%d took over, %d at work", second.started.Load(), active.Load())
		}
		if most.Load() > 1 {
			t.Errorf("%d worked at the same time", most.Load())
		}
		leaveToo()
		all.Wait()
	})
}

// A process that does not reach the database stops working before its lease ends and another
// process takes over.
func TestAProcessThatCannotRenewStopsBeforeAnotherStarts(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var active, most atomic.Int64
		shared := &fakeStore{}
		cut := &cutStore{fakeStore: shared}
		first := &worker{store: cut, active: &active, most: &most, lag: grace - time.Millisecond}
		second := &worker{store: shared, active: &active, most: &most}
		ctx, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { first.keep(ctx) })
		time.Sleep(time.Minute)
		all.Go(func() { second.keep(ctx) })
		time.Sleep(time.Second)

		cut.cut.Store(true)
		time.Sleep(lease + every + time.Millisecond)
		if second.started.Load() != 1 {
			t.Error("the other process did not take over")
		}
		if most.Load() > 1 {
			t.Errorf("%d worked at the same time", most.Load())
		}
		leave()
		all.Wait()
	})
}

// cutStore does not answer while it is cut.
type cutStore struct {
	*fakeStore

	cut atomic.Bool
}

func (s *cutStore) Acquire(ctx context.Context, name, holder string, lease time.Duration) (bool, error) {
	if s.cut.Load() {
		<-ctx.Done()
		return false, ctx.Err()
	}
	return s.fakeStore.Acquire(ctx, name, holder, lease)
}

func (s *cutStore) Release(ctx context.Context, name, holder string) error {
	if s.cut.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.fakeStore.Release(ctx, name, holder)
}

func TestAShortOutageDoesNotEndADuty(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var active, most atomic.Int64
		store := &fakeStore{}
		w := &worker{store: store, active: &active, most: &most}
		go w.keep(t.Context())
		time.Sleep(time.Minute)
		store.set(true)
		time.Sleep(lease - grace - 2*every - time.Second)
		store.set(false)
		time.Sleep(time.Minute)
		if w.started.Load() != 1 {
			t.Errorf("the work was started %d times", w.started.Load())
		}
	})
}
