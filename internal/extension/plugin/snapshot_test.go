package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/data/outage"
	"stoa/internal/extension/plugin"
	"stoa/internal/store"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/waittest"
)

// counting counts what the database is asked, and can hold the questions up.
type counting struct {
	*store.Plugin

	found, generations atomic.Int32
	failing            atomic.Bool
	away               atomic.Bool // the database is out of reach

	// Called between the answer of the database and its use. nil: nothing.
	afterFind, afterGeneration func()
}

func (c *counting) FindByKey(
	ctx context.Context, slug, key string,
) (plugin.Package, plugin.StoredInstance, error) {
	c.found.Add(1)
	if c.away.Load() {
		return plugin.Package{}, plugin.StoredInstance{}, errAway
	}
	p, in, err := c.Plugin.FindByKey(ctx, slug, key)
	if c.afterFind != nil {
		c.afterFind()
	}
	return p, in, err
}

func (c *counting) Generation(ctx context.Context) (int64, error) {
	c.generations.Add(1)
	if c.failing.Load() {
		return 0, errors.New("no database")
	}
	if c.away.Load() {
		return 0, errAway
	}
	number, err := c.Plugin.Generation(ctx)
	if c.afterGeneration != nil {
		c.afterGeneration()
	}
	return number, err
}

var errAway = &outage.Lost{Err: errors.New("connection refused")}

// another returns the same plugins as another process has them, and what it asks the
// database.
func another(tb testing.TB, s *plugin.Service, url string) (*plugin.Service, *counting) {
	tb.Helper()
	db, err := database.Open(url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	asked := &counting{Plugin: store.NewPlugin(db)}
	other := *s
	other.Store, other.Processes = asked, nil
	return &other, asked
}

func enabled(on bool) plugin.Input {
	return plugin.Input{Enabled: json.RawMessage(strconv.FormatBool(on))}
}

func keepChecked(t *testing.T, m *plugin.Snapshots) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { m.KeepChecked(ctx, slog.New(slog.DiscardHandler)) })
	t.Cleanup(func() { cancel(); wg.Wait() })
}

// change is something that holds at once where it was made, and soon elsewhere. seen
// reports whether a process knows of it.
type change struct {
	make func(ctx context.Context) error
	seen func(ctx context.Context, m *plugin.Snapshots) bool
}

// changes returns changes of the package and its instance with that id, by name.
func changes(s *plugin.Service, id string) map[string]change {
	update := func(input plugin.Input) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			_, err := s.UpdateInstance(ctx, "pay", id, input, nil)
			return err
		}
	}
	is := func(good func(*plugin.Installed, error) bool) func(context.Context, *plugin.Snapshots) bool {
		return func(ctx context.Context, m *plugin.Snapshots) bool {
			byKey, keyErr := m.ByKey(ctx, "pay", plugin.DefaultInstance)
			byID, idErr := m.ByID(ctx, "pay", id)
			return good(byKey, keyErr) && good(byID, idErr)
		}
	}
	return map[string]change{
		"an instance is disabled": {
			update(enabled(false)),
			is(func(in *plugin.Installed, err error) bool { return err == nil && !in.Instance.Enabled }),
		},
		"a permission is withdrawn": {
			update(plugin.Input{Granted: json.RawMessage(`["a:b"]`)}),
			is(func(in *plugin.Installed, _ error) bool { return slices.Equal(in.Permissions(), []string{"a:b"}) }),
		},
		"a setting": {
			func(ctx context.Context) error {
				_, err := s.ChangeSettings(ctx, "pay", plugin.SettingsInput{"timeoutMs": json.RawMessage(`1234`)})
				return err
			},
			is(func(in *plugin.Installed, _ error) bool { return in.Package.Settings.TimeoutMs == 1234 }),
		},
		"an uninstall": {
			func(ctx context.Context) error { _, err := s.Uninstall(ctx, "pay"); return err },
			is(func(_ *plugin.Installed, err error) bool { return errs.KindOf(err) == errs.NotFound }),
		},
		"a secret is rotated": {
			func(ctx context.Context) error { _, err := s.RotateSecret(ctx, "pay"); return err },
			func(ctx context.Context, m *plugin.Snapshots) bool {
				list, err := m.SigningSecrets(ctx, "pay")
				return err == nil && len(list) == 2
			},
		},
	}
}

func TestAChangeHoldsAtOnceWhereItWasMadeAndSoonElsewhere(t *testing.T) {
	t.Parallel()
	s0, _, _ := service(t)
	for name := range changes(s0, "") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.OnBoth(t, func(t *testing.T, url string) {
				s, _, in := serviceOn(t, url)
				here := plugin.NewSnapshots(s, s.Store.(*store.Plugin))
				far, asked := another(t, s, url)
				there := plugin.NewSnapshots(far, asked)
				keepChecked(t, there)
				change := changes(s, in.Instance.ID)[name]
				for _, m := range []*plugin.Snapshots{here, there} {
					if change.seen(t.Context(), m) {
						t.Fatal("seen before it was made")
					}
				}
				if err := change.make(t.Context()); err != nil {
					t.Fatal(err)
				}
				if !change.seen(t.Context(), here) {
					t.Error("not seen at once where it was made")
				}
				waittest.True(t, "seen by the other process", func() bool { return change.seen(t.Context(), there) })
			})
		})
	}
}

func TestCallsDoNotAskTheDatabase(t *testing.T) {
	t.Parallel()
	url := dbtest.SQLite(t)
	s, _, _ := serviceOn(t, url)
	other, asked := another(t, s, url)
	m := plugin.NewSnapshots(other, asked)
	clock := clocktest.New(time.Now())
	m.Now = clock.Now
	for range 1000 {
		if _, err := m.ByKey(t.Context(), "pay", plugin.DefaultInstance); err != nil {
			t.Fatal(err)
		}
		if _, err := m.SigningSecrets(t.Context(), "pay"); err != nil {
			t.Fatal(err)
		}
	}
	if found, generations := asked.found.Load(), asked.generations.Load(); found != 1 || generations != 1 {
		t.Errorf("1000 calls asked %d times for the instance and %d times for the generation", found, generations)
	}
}

// A process that did not get to check for a second, because it was halted or its
// database did not answer, believes nothing that it remembers.
func TestAProcessThatDidNotCheckAsksTheDatabase(t *testing.T) {
	t.Parallel()
	dbtest.OnBoth(t, func(t *testing.T, url string) {
		s, _, in := serviceOn(t, url)
		other, asked := another(t, s, url)
		halted := plugin.NewSnapshots(other, asked)
		clock := clocktest.New(time.Now())
		halted.Now = clock.Now
		isEnabled := func() bool {
			t.Helper()
			found, err := halted.ByKey(t.Context(), "pay", plugin.DefaultInstance)
			if err != nil {
				t.Fatal(err)
			}
			return found.Instance.Enabled
		}
		set := func(on bool) {
			t.Helper()
			if _, err := s.UpdateInstance(t.Context(), "pay", in.Instance.ID, enabled(on), nil); err != nil {
				t.Fatal(err)
			}
		}
		if !isEnabled() {
			t.Fatal("not enabled")
		}
		set(false)
		clock.Advance(999 * time.Millisecond)
		if !isEnabled() {
			t.Error("it looked before a second had passed: this test proves nothing")
		}
		clock.Advance(time.Millisecond)
		if isEnabled() {
			t.Error("a second after its last check it goes by what it remembers")
		}
		set(true)
		clock.Advance(-time.Hour)
		if !isEnabled() {
			t.Error("with the calendar set back it goes by what it remembers")
		}
		set(false)
		asked.failing.Store(true) // the check; the instance can be asked for
		clock.Advance(time.Second)
		if isEnabled() {
			t.Error("without a check it goes by what it remembers")
		}
	})
}

// While the database is out of reach, calls go on with what is remembered, without asking each time; what
// was changed through this process before is not forgotten, and what others change holds afterwards.
func TestCallsGoOnWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	url := dbtest.SQLite(t)
	s, _, in := serviceOn(t, url)
	other, asked := another(t, s, url)
	m := plugin.NewSnapshots(other, asked)
	clock := clocktest.New(time.Now())
	m.Now = clock.Now
	isEnabled := func() (bool, error) {
		t.Helper()
		found, err := m.ByKey(t.Context(), "pay", plugin.DefaultInstance)
		if err != nil {
			return false, err
		}
		_, err = m.SigningSecrets(t.Context(), "pay")
		return found.Instance.Enabled, err
	}
	if on, err := isEnabled(); err != nil || !on {
		t.Fatal(on, err)
	}
	asked.away.Store(true)
	before := asked.generations.Load() + asked.found.Load()
	for range 100 {
		clock.Advance(time.Minute)
		if on, err := isEnabled(); err != nil || !on {
			t.Fatalf("enabled %t, %v while the database is away", on, err)
		}
	}
	if n := asked.generations.Load() + asked.found.Load() - before; n != 1 {
		t.Errorf("a database that is away was asked %d times by 100 calls, want once", n)
	}
	_, err := m.ByKey(t.Context(), "pay", "unknown")
	if !errors.Is(err, outage.ErrDatabase) {
		t.Errorf("what is not remembered: %v, want DATABASE_UNAVAILABLE", err)
	}
	if _, err := s.UpdateInstance(t.Context(), "pay", in.Instance.ID, enabled(false), nil); err != nil {
		t.Fatal(err)
	}
	asked.away.Store(false)
	keepChecked(t, m)
	waittest.True(t, "the change of another process is known", func() bool {
		on, err := isEnabled()
		return err == nil && !on
	})

	if _, err := other.UpdateInstance(t.Context(), "pay", in.Instance.ID, enabled(true), nil); err != nil {
		t.Fatal(err)
	}
	asked.away.Store(true)
	if on, err := isEnabled(); err == nil && !on {
		t.Error("a change that this process made is forgotten")
	}
}

// What was read before a change is not taken for what holds after it, although it
// arrives after it.
func TestWhatWasReadBeforeAChangeIsNotKeptAfterIt(t *testing.T) {
	t.Parallel()
	dbtest.OnBoth(t, func(t *testing.T, url string) {
		s, _, in := serviceOn(t, url)
		slow := *s
		asked := &counting{Plugin: s.Store.(*store.Plugin)}
		slow.Store = asked
		m := plugin.NewSnapshots(&slow, asked)
		asked.afterFind = func() {
			asked.afterFind = nil
			if _, err := s.UpdateInstance(t.Context(), "pay", in.Instance.ID, enabled(false), nil); err != nil {
				t.Error(err)
			}
			// Another call meets the new generation first.
			if now, err := m.ByID(t.Context(), "pay", in.Instance.ID); err != nil || now.Instance.Enabled {
				t.Errorf("during the change: enabled %t, %v", now.Instance.Enabled, err)
			}
		}
		if _, err := m.ByKey(t.Context(), "pay", plugin.DefaultInstance); err != nil { // begins before the change
			t.Fatal(err)
		}
		if now, err := m.ByKey(t.Context(), "pay", plugin.DefaultInstance); err != nil || now.Instance.Enabled {
			t.Errorf("after the change: enabled %t, %v", now.Instance.Enabled, err)
		}
	})
}

// A check that began before a change, and one that took long, prove nothing about now.
func TestACheckCountsFromItsBeginning(t *testing.T) {
	t.Parallel()
	s, _, in := service(t)
	asked := &counting{Plugin: s.Store.(*store.Plugin)}
	m := plugin.NewSnapshots(s, asked)
	clock := clocktest.New(time.Now())
	m.Now = clock.Now
	isEnabled := func() bool {
		t.Helper()
		found, err := m.ByKey(t.Context(), "pay", plugin.DefaultInstance)
		if err != nil {
			t.Fatal(err)
		}
		return found.Instance.Enabled
	}
	_ = isEnabled()
	clock.Advance(time.Second)
	asked.afterGeneration = func() {
		asked.afterGeneration = nil
		if _, err := s.UpdateInstance(t.Context(), "pay", in.Instance.ID, enabled(false), nil); err != nil {
			t.Error(err)
		}
	}
	if isEnabled() {
		t.Error("a check that began before the change was taken for one after it")
	}
	clock.Advance(time.Second)
	asked.afterGeneration = func() {
		asked.afterGeneration = nil
		clock.Advance(time.Second)
	}
	before := asked.generations.Load()
	_ = isEnabled()
	if n := asked.generations.Load() - before; n != 2 {
		t.Errorf("a call whose check took a second checked %d times, want 2", n)
	}
}

// The same with many readers and writers: whoever has made a change sees it, or a later
// one.
func TestNoCallSeesLessThanWhatWasAnswered(t *testing.T) {
	t.Parallel()
	dbtest.OnBoth(t, func(t *testing.T, url string) {
		s, _, in := serviceOn(t, url)
		m := plugin.NewSnapshots(s, s.Store.(*store.Plugin))
		var answered atomic.Int64 // the version that some writer was answered
		done := make(chan struct{})
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					least := answered.Load()
					now, err := m.ByKey(t.Context(), "pay", plugin.DefaultInstance)
					if err != nil || now.Instance.Version < least {
						t.Errorf("version %d after %d was answered, %v", now.Instance.Version, least, err)
						return
					}
				}
			})
		}
		for i := range 50 {
			on := i%2 == 1
			now, err := s.UpdateInstance(t.Context(), "pay", in.Instance.ID, enabled(on), nil)
			if err != nil {
				t.Fatal(err)
			}
			answered.Store(now.Instance.Version)
		}
		close(done)
		readers.Wait()
	})
}

// A change that is undone is not announced, and listeners hear of changes only.
func TestWhoFollowsIsToldOfChanges(t *testing.T) {
	t.Parallel()
	dbtest.OnBoth(t, func(t *testing.T, url string) {
		s, _, _ := serviceOn(t, url)
		other, asked := another(t, s, url)
		m := plugin.NewSnapshots(other, asked)
		var told atomic.Int32
		m.Changed = func() { told.Add(1) }
		keepChecked(t, m)
		waittest.True(t, "checked twice", func() bool { return asked.generations.Load() > 1 })
		if n := told.Load(); n != 0 {
			t.Errorf("told %d times of nothing", n)
		}
		if _, err := s.RotateSecret(t.Context(), "pay"); err != nil {
			t.Fatal(err)
		}
		waittest.True(t, "told", func() bool { return told.Load() > 0 })
	})
}

// Memory does not grow with the number of installations without a bound.
func TestSnapshotsOfManyInstallationsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	many := &endless{}
	s := &plugin.Service{Store: many, Now: time.Now}
	m := plugin.NewSnapshots(s, many)
	clock := clocktest.New(time.Now())
	m.Now = clock.Now
	before := heap()
	for i := range 150_000 {
		if _, err := m.ByKey(t.Context(), "pay", "k"+strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	if grown := heap() - before; grown > 300<<20 {
		t.Errorf("150,000 installations take %d MiB", grown>>20)
	}
	asked := many.found
	for i := 50_000; i < 150_000; i++ { // the last 100,000 are all there
		_, _ = m.ByKey(t.Context(), "pay", "k"+strconv.Itoa(i))
	}
	if again := many.found - asked; again != 0 {
		t.Errorf("%d of the last 100,000 were forgotten", again)
	}
}

func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// endless is a Store that has every instance.
type endless struct {
	plugin.Store

	found int
}

func (e *endless) FindByKey(_ context.Context, slug, key string) (plugin.Package, plugin.StoredInstance, error) {
	e.found++
	return plugin.Package{ID: "p"}, plugin.StoredInstance{Instance: plugin.Instance{
		ID: "id-of-" + key, Slug: slug, Key: key, Enabled: true, Granted: []string{"a:b"},
	}}, nil
}
func (e *endless) Generation(context.Context) (int64, error) { return 1, nil }
func (e *endless) OnChange(func())                           {}
func (e *endless) Listen(ctx context.Context, _ func()) error {
	<-ctx.Done()
	return ctx.Err()
}
