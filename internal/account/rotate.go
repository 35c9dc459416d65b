package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa/internal/account/token"
	"stoa/internal/audit"
	"stoa/internal/errs"
)

// How signing keys take turns.
const (
	// KeyLead is how long a key is published before it may sign. Verifiers keep a
	// JWKS for five minutes (httpapi) and other replicas their Ring for one; the
	// rest is for clocks and caches on the way.
	KeyLead = 15 * time.Minute

	// KeyRetention is how long a key verifies after it stopped signing: as long as
	// the longest-lived token it signed, which is a refresh token, with an hour for
	// replicas that notice late and clocks that differ. A refresh token in its
	// grace is made again with the key that signed it, which is the same or a
	// younger one.
	KeyRetention = RefreshLife + time.Hour
)

// KeyInfo is what may be known about a signing key.
type KeyInfo struct {
	ID        string
	Stage     Stage
	CreatedAt time.Time
	Since     time.Time // when it came to its stage

	// Until is when the key may leave its stage: when a next key may sign, and
	// when a previous one is of no use any more. Zero for the current one.
	Until time.Time
}

func newKeyInfo(k StoredKey) KeyInfo {
	info := KeyInfo{ID: k.ID, Stage: k.Stage, CreatedAt: k.CreatedAt, Since: k.StageSince}
	switch k.Stage {
	case StageNext:
		info.Until = k.StageSince.Add(KeyLead)
	case StagePrevious:
		info.Until = k.StageSince.Add(KeyRetention)
	case StageCurrent:
	}
	return info
}

// Keys returns the signing keys of all stages, oldest first.
func (s *Service) Keys(ctx context.Context) ([]KeyInfo, error) {
	stored, err := s.Store.ListKeys(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]KeyInfo, len(stored))
	for i, k := range stored {
		list[i] = newKeyInfo(k)
	}
	return list, nil
}

// Rotation is what RotateKeys did.
type Rotation struct {
	// Rotated reports whether another key signs now. If not, the next key has not
	// been published for KeyLead yet, or somebody else rotated at this moment.
	Rotated bool
	Current string // id of the key that signs now
	Next    string // id of the key that will after it
	// NextFrom is when Next may sign.
	NextFrom time.Time
	// Dropped are the ids of previous keys that were removed: nothing they signed
	// is valid any more.
	Dropped []string
}

// RotateKeys moves the signing keys one stage on: the next becomes the current
// one, the current becomes a previous one and goes on verifying, and a new next
// is made and published. Previous keys past their KeyRetention are removed.
//
// A next key younger than KeyLead stays where it is, unless at once is set: so
// running this twice, or on two replicas at the same time, rotates once. With at
// once, verifiers that keep the JWKS may refuse new tokens for some minutes;
// stoa's own replicas do not. Of several that rotate at once at the same time,
// one does.
//
// Other processes notice within a minute (Ring).
func (s *Service) RotateKeys(ctx context.Context, atOnce bool) (Rotation, error) {
	// Read outside of the transaction, so that two who saw the same current key
	// are told apart: the second finds that it is not current any more.
	seen, err := s.Store.ListKeys(ctx)
	if err != nil {
		return Rotation{}, fmt.Errorf("signing keys: %w", err)
	}
	current, ok := ofStage(seen, StageCurrent)
	if !ok {
		return Rotation{}, errors.New("signing keys: none is current")
	}
	var done Rotation
	err = s.Store.InTx(ctx, func(tx Store) (err error) {
		done, err = s.rotateKeys(ctx, tx, current, atOnce)
		return err
	})
	if err != nil {
		return Rotation{}, fmt.Errorf("signing keys: %w", err)
	}
	s.Ring.forget()
	return done, nil
}

func (s *Service) rotateKeys(ctx context.Context, tx Store, current StoredKey, atOnce bool) (Rotation, error) {
	now := s.Now()
	// First of all, and whatever else happens: this locks the row, so that
	// everything below is read and written by one process at a time.
	err := tx.MoveKey(ctx, current.ID, StageCurrent, StageCurrent, current.StageSince)
	mine := err == nil
	if err := ignore(err, errs.NotFound); err != nil {
		return Rotation{}, err
	}
	keys, err := tx.ListKeys(ctx)
	if err != nil {
		return Rotation{}, err
	}
	var done Rotation
	if done.Dropped, err = dropKeys(ctx, tx, keys, now); err != nil {
		return Rotation{}, err
	}
	next, ok := ofStage(keys, StageNext)
	if mine && ok && (atOnce || !now.Before(next.StageSince.Add(KeyLead))) {
		if err := s.promoteKey(ctx, tx, current, next); err != nil {
			return Rotation{}, err
		}
		done.Rotated = true
	}
	if done.Rotated || !ok {
		if err := tx.AddKeyOnce(ctx, s.Ring.newKey(StageNext, now)); err != nil {
			return Rotation{}, err
		}
	}
	if keys, err = tx.ListKeys(ctx); err != nil {
		return Rotation{}, err
	}
	current, _ = ofStage(keys, StageCurrent)
	next, _ = ofStage(keys, StageNext)
	done.Current, done.Next, done.NextFrom = current.ID, next.ID, newKeyInfo(next).Until
	return done, nil
}

// promoteKey lets next sign in place of current, and records it.
func (s *Service) promoteKey(ctx context.Context, tx Store, current, next StoredKey) error {
	now := s.Now()
	if err := tx.MoveKey(ctx, current.ID, StageCurrent, StagePrevious, now); err != nil {
		return err
	}
	if err := tx.MoveKey(ctx, next.ID, StageNext, StageCurrent, now); err != nil {
		return err
	}
	return tx.Record(ctx, audit.New(ctx, now, audit.KeysRotate, audit.Target{Type: "signing_key", ID: next.ID}, audit.Details{"previous": current.ID}))
}

// dropKeys removes the previous keys nothing depends on any more.
func dropKeys(ctx context.Context, tx Store, keys []StoredKey, now time.Time) (dropped []string, err error) {
	for _, k := range keys {
		if k.Stage != StagePrevious || now.Before(newKeyInfo(k).Until) {
			continue
		}
		if err := tx.DeletePreviousKey(ctx, k.ID); err != nil {
			return nil, err
		}
		dropped = append(dropped, k.ID)
	}
	return dropped, nil
}

func ofStage(keys []StoredKey, stage Stage) (StoredKey, bool) {
	for _, k := range keys {
		if k.Stage == stage {
			return k, true
		}
	}
	return StoredKey{}, false
}

// newKey returns a new key, sealed.
func (r *Ring) newKey(stage Stage, now time.Time) StoredKey {
	k := token.GenerateKey()
	return StoredKey{ID: k.ID, Stage: stage, Sealed: r.Box.Seal(k.Seed(), k.ID), CreatedAt: now, StageSince: now}
}

// forget makes the next use of a key look into the database.
func (r *Ring) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.loaded.IsZero() {
		r.loaded = r.loaded.Add(-ringFresh)
	}
}
