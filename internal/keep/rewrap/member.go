package rewrap

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

const (
	// followEvery is how often a process reads the state of the database, reportEvery how often it
	// reports itself, and seenWithin how long it counts as running after a report.
	followEvery = time.Second
	reportEvery = 10 * time.Second
	seenWithin  = time.Minute
)

// Errors of Join.
var (
	// ErrOtherKey is returned by Join if it knows none of the keys that the database was sealed with.
	ErrOtherKey = errors.New("this database belongs to another master key: " +
		"set STOA_MASTER_KEY, or restore the master.key file it was created with")
	errUnfinished = errors.New("stoa keys rewrap is replacing the master key of this database and has not finished: " +
		"set STOA_MASTER_KEY and STOA_MASTER_KEY_NEXT to both keys, or keep both files, master.key and master.key.next")
)

// Member is a process that uses the database. It reports which master keys it knows, and seals with
// the one that the database demands.
type Member struct {
	DB   *database.DB
	Keys *seal.Keys
	// Next returns a key that became known since the start, or nil. It may be nil. Once a rewrap
	// has started, it returns the new key wherever that can be found.
	Next func() (*seal.Key, error)
	// Lost is called by Keep if the process does not know the database's key. Then it can open no
	// value and find no license, and other processes cannot open what it seals: it must end. Lost
	// may be nil.
	Lost func(error)
	// Wrote is called after each report, which is the write that every process makes every few
	// seconds. It may be nil.
	Wrote func()
	// ReportEvery is how often the process reports itself; ten seconds if zero.
	ReportEvery time.Duration
	// Name identifies the process to people.
	Name string
	Log  *slog.Logger

	id         string
	reported   string // the keys it last reported, and when
	reportedAt time.Time
	stale      *seal.Key                                  // a replaced key that it sealed with for too long: see reseal
	pause      func(context.Context, time.Duration) error // sleep, except in tests
	lost       bool                                       // the database's key is unknown, not merely unreadable
}

// Join makes the process a member, and seals with the key that proves to be the database's. On a
// database without one, that is the first key. It returns an error if a key that the database needs
// is not known.
func (m *Member) Join(ctx context.Context) error {
	m.id, m.pause = rand.Text(), sleep
	_, err := store.NewSettings(m.DB).Once(ctx, store.SettingMasterKeyCheck, masterkey.Proof(m.Keys.Known()[0]))
	if err != nil {
		return err
	}
	// Report before reading the state: a rewrap that starts in between waits for this process.
	if err := m.report(ctx); err != nil {
		return err
	}
	if err := m.follow(ctx); err != nil {
		return errors.Join(err, m.Leave(context.WithoutCancel(ctx)))
	}
	m.stale = nil // it has sealed nothing yet
	return nil
}

// Keep follows the state of the database until ctx ends.
func (m *Member) Keep(ctx context.Context) {
	var resealing sync.WaitGroup
	defer resealing.Wait()
	background.Task{
		Every: followEvery, Limit: reportEvery, Log: m.Log, Failed: "the master key of the database cannot be followed",
	}.Run(ctx, func(limited context.Context) error {
		err := m.follow(limited)
		if m.lost && m.Lost != nil {
			m.Lost(err)
			m.Lost = nil
		}
		if old := m.stale; old != nil {
			m.stale = nil
			resealing.Go(func() { m.reseal(ctx, old) })
		}
		return err
	})
}

// Leave records that the process no longer uses the database.
func (m *Member) Leave(ctx context.Context) error {
	if m.id == "" {
		return nil
	}
	return store.NewMasterKeys(m.DB).Leave(ctx, m.id)
}

// follow learns new keys, seals with the key that the database demands, and reports.
func (m *Member) follow(ctx context.Context) error {
	// Read the state before looking for keys: a key that the database demands by then can be found,
	// if it can be found at all. In the other order, a key that a rewrap brings in between would
	// seem lost.
	state, err := readState(ctx, m.DB.Conn())
	var trouble error
	if m.Next != nil {
		var next *seal.Key
		if next, trouble = m.Next(); next != nil {
			m.learn(ctx, next)
		}
	}
	if err != nil {
		return errors.Join(trouble, err)
	}
	known := m.Keys.Known()
	sealing := masterkey.Prover(known, state.check)
	m.lost = sealing == nil && state.check != "" && trouble == nil
	switch {
	case sealing == nil && state.rewrap != nil && masterkey.Prover(known, state.rewrap.From) != nil:
		return errors.Join(trouble, errUnfinished) // only the old key is known
	case sealing == nil:
		return errors.Join(trouble, ErrOtherKey)
	case state.rewrap != nil && masterkey.Prover(known, state.rewrap.From) == nil:
		return errors.Join(trouble, errUnfinished)
	case sealing != known[0]:
		others := slices.DeleteFunc(slices.Clone(known), func(k *seal.Key) bool { return k == sealing })
		m.Keys.Set(sealing, others...)
		if m.missed(state) {
			m.stale = known[0]
		}
		m.Log.InfoContext(ctx, "secrets are now sealed with another master key", slog.String("key", sealing.ID()))
	}
	return errors.Join(trouble, m.report(ctx))
}

// learn adds a key that opens values.
func (m *Member) learn(ctx context.Context, key *seal.Key) {
	known := m.Keys.Known()
	if slices.ContainsFunc(known, func(k *seal.Key) bool { return k.ID() == key.ID() }) {
		return
	}
	m.Keys.Set(known[0], append(slices.Clone(known[1:]), key)...)
	m.Log.InfoContext(ctx, "another master key is known", slog.String("key", key.ID()))
}

// report records which keys the process knows, if they changed or the last report is old.
func (m *Member) report(ctx context.Context) error {
	ids := keyIDs(m.Keys.Known())
	text := strings.Join(ids, " ")
	if text == m.reported && time.Since(m.reportedAt) < cmp.Or(m.ReportEvery, reportEvery) {
		return nil
	}
	err := store.NewMasterKeys(m.DB).Report(ctx, store.KeyHolder{ID: m.id, Name: m.Name, Keys: ids})
	if err != nil {
		return fmt.Errorf("report the known master keys: %w", err)
	}
	m.reported, m.reportedAt = text, time.Now()
	if m.Wrote != nil {
		m.Wrote()
	}
	return nil
}

func keyIDs(keys []*seal.Key) []string {
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = k.ID()
	}
	return ids
}
