package plugin

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/base/cache"
	"stoa/internal/data/outage"
)

const (
	// maxUnchecked is how long after a check what is in memory may be used. Changes by
	// other processes hold within this time.
	maxUnchecked = time.Second

	// checkEvery is how often KeepChecked looks for changes by other processes.
	checkEvery = 250 * time.Millisecond

	// checkLimit bounds one look.
	checkLimit = 5 * time.Second

	// snapshotBytes bounds the memory of a snapshot, roughly: 100,000 installations with
	// small configs fit.
	snapshotBytes = 192 << 20

	// maxSnapshotSecrets is for how many packages a snapshot has the secrets.
	maxSnapshotSecrets = 16384
)

// Generations reports changes. The generation is a number: each transaction that changes a
// package, its settings, an instance or a secret raises it.
type Generations interface {
	// Generation returns the present generation.
	Generation(ctx context.Context) (int64, error)

	// OnChange has changed called after each change that this process made, before the
	// method that made it returns. There is one such function; it must not block. To be
	// called before anything changes.
	OnChange(changed func())

	// Listen calls heard soon after other processes made changes, if the database announces
	// them, and once when it begins to listen. It returns when ctx is done or the database
	// stops announcing.
	Listen(ctx context.Context, heard func()) error
}

// Snapshots finds instances and secrets for calls, in memory whenever it can. What it
// has in memory belongs to one generation. A change that this process made holds at
// once: it drops the snapshot. Changes of other processes hold within a second: a
// snapshot whose last check is older is not used, and the database is asked, until a
// check succeeds. Only while the database is out of reach do calls go on with what is
// remembered; what other processes change meanwhile holds when it is back.
//
// Make it with NewSnapshots, and run KeepChecked. It is safe for concurrent use. What it
// returns is shared: nobody may change it.
type Snapshots struct {
	service *Service
	source  Generations

	// Now is the time that the age of a check is measured in. It is the system's own:
	// another clock might stand still. Tests replace it.
	Now func() time.Time

	// Changed is called for each new generation after the first. May be nil.
	Changed func()

	held  atomic.Pointer[checked]
	drops atomic.Uint64 // how many changes this process made or heard of
	away  atomic.Bool   // the last check met an outage of the database

	mu       sync.Mutex
	checking *check // the one that goes on, if one does
}

// checked is a snapshot and when it was found to be the present one.
type checked struct {
	*snapshot

	at    time.Time // when the check began
	drops uint64    // Snapshots.drops by then
}

// snapshot is what was read while a generation was the present one, or a little later.
type snapshot struct {
	generation int64
	installed  *cache.Sized[installedKey, *Installed]
	secrets    *cache.Cache[string, openedSecret] // by slug
}

// openedSecret is a secret, and the texts that calls sign with: the current and the previous.
type openedSecret struct {
	Secret

	texts []string
}

type installedKey struct{ slug, id, key string }

// of returns the same key, with the memory of in where it can: the client's words are a part of
// a whole request, which would stay in memory with them.
func (k installedKey) of(in *Installed) installedKey {
	return installedKey{
		slug: ours(k.slug, in.Package.Manifest.Slug), id: ours(k.id, in.Instance.ID), key: ours(k.key, in.Instance.Key),
	}
}

func ours(asked, found string) string {
	if asked == found {
		return found
	}
	return strings.Clone(asked) // "", or another spelling
}

// check is one reading of the generation. err is set before done is closed.
type check struct {
	done chan struct{}
	err  error
}

var _ Finder = (*Snapshots)(nil)

// NewSnapshots returns Snapshots of what s manages. source reports changes that are made
// through s.Store.
func NewSnapshots(s *Service, source Generations) *Snapshots {
	m := &Snapshots{service: s, source: source, Now: time.Now}
	source.OnChange(m.drop)
	return m
}

// drop has the next call check the generation.
func (m *Snapshots) drop() { m.drops.Add(1) }

// ByID implements Finder.
func (m *Snapshots) ByID(ctx context.Context, slug, installationID string) (*Installed, error) {
	return m.find(ctx, installedKey{slug: slug, id: installationID}, func() (Installed, error) {
		return m.service.ByID(ctx, slug, installationID)
	})
}

// ByKey implements Finder.
func (m *Snapshots) ByKey(ctx context.Context, slug, key string) (*Installed, error) {
	return m.find(ctx, installedKey{slug: slug, key: key}, func() (Installed, error) {
		return m.service.ByKey(ctx, slug, key)
	})
}

func (m *Snapshots) find(
	ctx context.Context, key installedKey, ask func() (Installed, error),
) (*Installed, error) {
	s := m.current(ctx) // before asking: the answer may be newer than s, never older
	if s != nil {
		if in, ok := s.installed.Get(key); ok {
			return in, nil
		}
	}
	in, err := ask()
	if err != nil {
		return nil, outage.Named(err)
	}
	if s != nil {
		in.Notes = new(atomic.Value)
		s.installed.Put(key.of(&in), &in, in.size())
	}
	return &in, nil
}

// size returns roughly how many bytes of memory in takes. The manifest is not counted:
// all instances of a package share it.
func (in *Installed) size() int {
	const fixed = 1536 // with what the cache and the Notes keep of it
	size := fixed + 3*len(in.Instance.Config) + len(in.Package.Settings.Sealed)
	for _, p := range in.Instance.Granted {
		size += len(p) + 16
	}
	for name, value := range in.Package.Settings.Environment {
		size += len(name) + len(value) + 64
	}
	return size
}

// SigningSecrets returns the secrets that sign requests to a package's instances: the
// current one, then the previous one while it still signs. The error is an errs.NotFound
// for an unknown package.
func (m *Snapshots) SigningSecrets(ctx context.Context, slug string) ([]string, error) {
	s := m.current(ctx)
	if s == nil {
		return m.service.SigningSecrets(ctx, slug)
	}
	opened, ok := s.secrets.Get(slug)
	if !ok {
		secret, err := m.service.usableSecret(ctx, slug)
		if err != nil {
			return nil, outage.Named(err)
		}
		opened = openedSecret{secret, []string{secret.Current, secret.Previous}}
		s.secrets.Put(slug, opened)
	}
	n := opened.countAt(m.service.now())
	return opened.texts[:n:n], nil
}

// current returns the snapshot that may be used now. nil: the database has to be asked.
func (m *Snapshots) current(ctx context.Context) *snapshot {
	for range 3 { // changes may come one after another
		// away is read first: a check that succeeds meanwhile brings a newer snapshot.
		away := m.away.Load()
		if held := m.known(); held != nil && (away || isFresh(held.at, m.Now())) {
			return held.snapshot
		}
		if m.check(ctx) != nil {
			break
		}
	}
	if held := m.known(); held != nil && m.away.Load() {
		return held.snapshot
	}
	return nil
}

// known returns what was checked since this process last made a change, however long ago.
func (m *Snapshots) known() *checked {
	if held := m.held.Load(); held != nil && held.drops == m.drops.Load() {
		return held
	}
	return nil
}

// isFresh reports whether less than maxUnchecked has passed, by the monotonic clock and
// by the calendar: the first stands still while the machine is suspended, and somebody
// may set the second.
func isFresh(at, now time.Time) bool {
	passed, calendar := now.Sub(at), now.Round(0).Sub(at.Round(0))
	return passed >= 0 && passed < maxUnchecked && calendar.Abs() < maxUnchecked
}

// check reads the generation, or waits for the reading that goes on. That one may have
// begun before a change the caller must see: the caller looks again.
func (m *Snapshots) check(ctx context.Context) error {
	m.mu.Lock()
	if c := m.checking; c != nil {
		m.mu.Unlock()
		select {
		case <-c.done:
			return c.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	c := &check{done: make(chan struct{})}
	m.checking = c
	m.mu.Unlock()
	changed := false
	defer func() {
		m.mu.Lock()
		m.checking = nil
		m.mu.Unlock()
		close(c.done)
		if changed && m.Changed != nil {
			m.Changed()
		}
	}()
	// Others wait for the answer too: it must not end with this caller.
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkLimit)
	defer cancel()
	changed, c.err = m.read(asking)
	return c.err
}

// read reads the generation. It keeps the snapshot if that is still the present one, and
// begins a new one otherwise.
func (m *Snapshots) read(ctx context.Context) (changed bool, err error) {
	now := checked{at: m.Now(), drops: m.drops.Load()} // both before the question
	number, err := m.source.Generation(ctx)
	m.away.Store(outage.Is(err) || errors.Is(err, context.DeadlineExceeded))
	if err != nil {
		return false, err
	}
	old := m.held.Load()
	if old != nil && old.generation == number {
		now.snapshot = old.snapshot
	} else {
		now.snapshot = &snapshot{
			generation: number,
			installed:  cache.NewSized[installedKey, *Installed](snapshotBytes),
			secrets:    cache.New[string, openedSecret](maxSnapshotSecrets),
		}
	}
	m.held.Store(&now)
	return old != nil && old.snapshot != now.snapshot, nil
}

// KeepChecked looks for changes of other processes until ctx is done, so that calls need
// not, and listens to what the database announces.
func (m *Snapshots) KeepChecked(ctx context.Context, log *slog.Logger) {
	var listening sync.WaitGroup
	defer listening.Wait()
	heard := make(chan struct{}, 1)
	listening.Go(func() { m.keepListening(ctx, log, heard) })
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	failing := false
	for ctx.Err() == nil {
		err := m.check(ctx)
		if (err != nil) != failing && ctx.Err() == nil {
			failing = err != nil
			if failing {
				log.WarnContext(ctx, "changes of plugins by other processes cannot be looked for", slog.Any("err", err))
			}
		}
		select {
		case <-tick.C:
		case <-heard:
		case <-ctx.Done():
		}
	}
}

// listenAgain is how long after the end of Listen it is called again.
const listenAgain = 5 * time.Second

func (m *Snapshots) keepListening(ctx context.Context, log *slog.Logger, heard chan<- struct{}) {
	for ctx.Err() == nil {
		err := m.source.Listen(ctx, func() {
			m.drop()
			select {
			case heard <- struct{}{}:
			default:
			}
		})
		if ctx.Err() != nil {
			return
		}
		log.DebugContext(ctx, "the database no longer tells of changes of plugins", slog.Any("err", err))
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
		}
	}
}
