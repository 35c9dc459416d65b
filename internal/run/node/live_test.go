package node

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/testkit/proctest"
)

// fakeLive is a Live whose answers the test sets.
type fakeLive struct {
	mu   sync.Mutex
	live map[string]plugin.Revision
	err  error

	asked chan []string // gets the ids of a question; may be nil

	gone map[string]bool // deleted; all others are there
}

func (l *fakeLive) KnownInstances(_ context.Context, ids []string) (map[string]bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := make(map[string]bool)
	for _, id := range ids {
		known[id] = !l.gone[id]
	}
	return known, l.err
}

func (l *fakeLive) LiveInstances(_ context.Context, ids []string) (map[string]plugin.Revision, error) {
	l.mu.Lock()
	live, err := maps.Clone(l.live), l.err
	l.mu.Unlock()
	select {
	case l.asked <- ids:
	default: // nobody wants to know
	}
	return live, err
}

func (l *fakeLive) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func TestWhatIsNoLongerLiveEnds(t *testing.T) {
	t.Parallel()
	live := &fakeLive{live: map[string]plugin.Revision{}, asked: make(chan []string, 1)}
	f := newFixture(t, func(c *options) { c.Live, c.LiveEvery = live, 10*time.Millisecond })
	start := func(slug string) (plugin.Installed, int) {
		in := f.install(t, slug, withRoutes("setInterval(() => {}, 10)"))
		live.set(func() { live.live[in.Instance.ID] = in.Revision() })
		if err := f.Prepare(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		return in, f.Status(in.Instance.ID).PID
	}
	stays, stayingPID := start("stays")
	disabled, disabledPID := start("disabled")
	changed, changedPID := start("changed")
	upgraded, upgradedPID := start("upgraded")

	live.set(func() { // an unreachable database, which would say that nothing is live
		live.err = errors.New("no database")
		live.live = nil
	})
	for range 4 { // the first may be older, and each answer was acted on before the next question
		<-live.asked
	}
	for _, pid := range []int{stayingPID, disabledPID, changedPID, upgradedPID} {
		if !proctest.Alive(pid) {
			t.Fatal("a process ended because the database did not answer")
		}
	}

	live.set(func() {
		live.err = nil
		newer, other := changed.Revision(), upgraded.Revision()
		newer.Instance++
		other.ZipHash, other.Updated = "new", time.Now()
		live.live = map[string]plugin.Revision{
			stays.Instance.ID: stays.Revision(), changed.Instance.ID: newer, upgraded.Instance.ID: other,
		}
	})
	for _, pid := range []int{disabledPID, changedPID, upgradedPID} {
		proctest.Gone(t, pid)
	}
	if st := f.Status(disabled.Instance.ID); st.State != Stopped {
		t.Errorf("status: %+v", st)
	}
	if !proctest.Alive(stayingPID) {
		t.Error("a process that may run was ended")
	}
}

func TestTheAnswerToAnOldQuestionEndsNoNewProcess(t *testing.T) {
	t.Parallel()
	live := &fakeLive{live: map[string]plugin.Revision{}}
	f := newFixture(t, func(c *options) { c.Live, c.LiveEvery = live, time.Hour })
	in := f.install(t, "renewed", withRoutes(pidRoute))
	f.get(t, in, "/health")
	asked, _ := f.stillRunning()
	f.Stop(in.Instance.ID)
	f.get(t, in, "/health")
	pid := f.Status(in.Instance.ID).PID
	if err := f.retireOutdated(asked); err != nil {
		t.Fatal(err)
	}
	if st := f.Status(in.Instance.ID); st.State != Running || st.PID != pid {
		t.Errorf("status: %+v", st)
	}
}

func TestNobodyIsAskedWhileNothingRuns(t *testing.T) {
	t.Parallel()
	live := &fakeLive{live: map[string]plugin.Revision{}}
	f := newFixture(t, func(c *options) { c.Live, c.LiveEvery = live, 5*time.Millisecond })
	in := f.install(t, "sometimes", withRoutes(pidRoute))
	for range 2 { // the second time it is watched again
		f.Prepare(t.Context(), in) // nothing is live: it may end at once
		f.watcher.Wait()
		if running, watched := f.stillRunning(); watched || len(running) > 0 {
			t.Errorf("%d processes run, watched: %t", len(running), watched)
		}
	}
}

// A trial comes before its instance is in the database.
func TestATrialIsNotEndedForAnInstanceThatIsNotLive(t *testing.T) {
	t.Parallel()
	live := &fakeLive{live: map[string]plugin.Revision{}}
	watched := func() *fixture {
		f := newFixture(t, func(c *options) { c.Live, c.LiveEvery = live, 50*time.Millisecond })
		other := f.install(t, "other", withRoutes(""))
		live.set(func() { live.live[other.Instance.ID] = other.Revision() })
		if err := f.Prepare(t.Context(), other); err != nil { // keeps the watch going
			t.Fatal(err)
		}
		return f
	}
	f, busy := watched(), watched()
	f.startMargin = long // the host program ends what is late; in busy, stoa does
	for _, tt := range []struct {
		slug, code, message string // an empty message: no failure
		f                   *fixture
		timeout             int64
	}{
		{"never-ready", "await new Promise(() => {})", "The plugin never-ready was not ready within 4 s.", f, 4000},
		{"late-throw", "await new Promise((done) => setTimeout(done, 500))\nthrow new Error('no table')", "no table", f, 0},
		{"busy", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)", "not ready within", busy, 4000},
		{"slow", "await new Promise((done) => setTimeout(done, 500))", "", f, 0},
	} {
		t.Run(tt.slug, func(t *testing.T) {
			t.Parallel()
			in := tt.f.install(t, tt.slug, withRoutes(tt.code))
			in.Package.Settings.StartTimeoutMs = tt.timeout
			failed, err := tt.f.Try(t.Context(), in, true)
			if err != nil || failed.IsZero() != (tt.message == "") || !strings.Contains(failed.Message, tt.message) {
				t.Errorf("got %+v, %v; want a failure with %q", failed, err, tt.message)
			}
		})
	}
}

// A process that somebody ended before it was ready says nothing about its plugin.
func TestATrialThatIsCutShortIsNoSuccess(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "cut", withRoutes("await new Promise(() => {})"))
	go func() {
		for {
			f.mu.Lock()
			for p := range f.processes {
				p.askToEnd()
				f.mu.Unlock()
				return
			}
			f.mu.Unlock()
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if failed, err := f.Try(t.Context(), in, true); err == nil || !failed.IsZero() {
		t.Errorf("got %+v, %v; want an error and no failure", failed, err)
	}
}
