package rewrap

import (
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
	// lookEvery is how soon a process follows the database, tellEvery how often it says that
	// it is there, and seenWithin how long it counts as there after that.
	lookEvery  = time.Second
	tellEvery  = 10 * time.Second
	seenWithin = time.Minute
)

// Errors of Join.
var (
	errOtherKey = errors.New("this database belongs to another master key: " +
		"set STOA_MASTER_KEY, or restore the master.key file it was created with")
	errUnfinished = errors.New("stoa keys rewrap is replacing the master key of this database and has not finished: " +
		"set STOA_MASTER_KEY and STOA_MASTER_KEY_NEXT to both keys, or keep both files, master.key and master.key.next")
)

// Member is a process that uses the database. It tells which master keys it knows, and seals
// with the one that the database says.
type Member struct {
	DB   *database.DB
	Keys *seal.Keys
	// Next returns a key that has become known since the start, or nil. It may be nil. Once a
	// rewrap has begun, it returns the new key wherever that can be found.
	Next func() (*seal.Key, error)
	// Lost is called, by Keep, when the database's key is none of those that the process knows.
	// Then it opens nothing and finds no license, and what it seals cannot be opened: it must end.
	// It may be nil.
	Lost func(error)
	// Name tells people which process it is.
	Name string
	Log  *slog.Logger

	id     string
	told   string // the keys it last told, and when
	toldAt time.Time
	late   *seal.Key     // the key that it sealed with for too long: see mend
	settle time.Duration // lateSettle
	lost   bool          // the database's key is unknown, and nothing hides it
}

// Join makes the process a member, and the key that proves to be the database's the one that
// seals. On a database without one, that is the first key. It returns an error if a key that
// the database needs is not known.
func (m *Member) Join(ctx context.Context) error {
	m.id, m.settle = rand.Text(), lateSettle
	_, err := store.NewSettings(m.DB).Once(ctx, store.SettingMasterKeyCheck, masterkey.Proof(m.Keys.Known()[0]))
	if err != nil {
		return err
	}
	// Told before the database is asked: a rewrap that begins in between waits for this process.
	if err := m.tell(ctx); err != nil {
		return err
	}
	if err := m.follow(ctx); err != nil {
		return errors.Join(err, m.Leave(context.WithoutCancel(ctx)))
	}
	m.late = nil // it has sealed nothing yet
	return nil
}

// Keep follows the database until ctx ends.
func (m *Member) Keep(ctx context.Context) {
	var mending sync.WaitGroup
	defer mending.Wait()
	background.Task{
		Every: lookEvery, Limit: tellEvery, Log: m.Log, Failed: "the master key of the database cannot be followed",
	}.Run(ctx, func(limited context.Context) error {
		err := m.follow(limited)
		if m.lost && m.Lost != nil {
			m.Lost(err)
			m.Lost = nil
		}
		if old := m.late; old != nil {
			m.late = nil
			mending.Go(func() { m.mend(ctx, old) })
		}
		return err
	})
}

// Leave says that the process no longer uses the database.
func (m *Member) Leave(ctx context.Context) error {
	if m.id == "" {
		return nil
	}
	return store.NewMasterKeys(m.DB).Leave(ctx, m.id)
}

// follow learns of a new key, makes the one that seals that of the database, and tells.
func (m *Member) follow(ctx context.Context) error {
	// First: the key that the database says now can be found afterwards, or never.
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
		return errors.Join(trouble, errOtherKey)
	case state.rewrap != nil && masterkey.Prover(known, state.rewrap.From) == nil:
		return errors.Join(trouble, errUnfinished)
	case sealing != known[0]:
		others := slices.DeleteFunc(slices.Clone(known), func(k *seal.Key) bool { return k == sealing })
		m.Keys.Set(sealing, others...)
		if m.missed(state) {
			m.late = known[0]
		}
		m.Log.InfoContext(ctx, "secrets are sealed with another master key now", slog.String("key", sealing.ID()))
	}
	return errors.Join(trouble, m.tell(ctx))
}

// learn adds a key to those that open.
func (m *Member) learn(ctx context.Context, key *seal.Key) {
	known := m.Keys.Known()
	if slices.ContainsFunc(known, func(k *seal.Key) bool { return k.ID() == key.ID() }) {
		return
	}
	m.Keys.Set(known[0], append(slices.Clone(known[1:]), key)...)
	m.Log.InfoContext(ctx, "another master key is known now", slog.String("key", key.ID()))
}

// tell records what the process knows, if that is new or was told long ago.
func (m *Member) tell(ctx context.Context) error {
	ids := keyIDs(m.Keys.Known())
	text := strings.Join(ids, " ")
	if text == m.told && time.Since(m.toldAt) < tellEvery {
		return nil
	}
	err := store.NewMasterKeys(m.DB).Hold(ctx, store.KeyHolder{ID: m.id, Name: m.Name, Keys: ids})
	if err != nil {
		return fmt.Errorf("tell which master keys are known: %w", err)
	}
	m.told, m.toldAt = text, time.Now()
	return nil
}

func keyIDs(keys []*seal.Key) []string {
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = k.ID()
	}
	return ids
}
