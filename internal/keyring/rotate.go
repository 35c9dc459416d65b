package keyring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa/internal/audit"
	"stoa/internal/errs"
)

// Info is what may be known about a signing key.
type Info struct {
	ID        string
	Stage     Stage
	CreatedAt time.Time
	Since     time.Time // when it came to its stage

	// Until is when the key may leave its stage: when a next key may sign, and
	// when a previous one is of no use any more. Zero for the current one.
	Until time.Time
}

func (p Purpose) info(k StoredKey) Info {
	info := Info{ID: k.ID, Stage: k.Stage, CreatedAt: k.CreatedAt, Since: k.StageSince}
	switch k.Stage {
	case StageNext:
		info.Until = k.StageSince.Add(p.Lead)
	case StagePrevious:
		info.Until = k.StageSince.Add(p.Retention)
	case StageCurrent:
	}
	return info
}

// List returns the keys of all stages, oldest first, as the database has them.
func (r *Ring) List(ctx context.Context) ([]Info, error) {
	stored, err := r.Store.ListKeys(ctx, r.Purpose.Name)
	if err != nil {
		return nil, err
	}
	list := make([]Info, len(stored))
	for i, k := range stored {
		list[i] = r.Purpose.info(k)
	}
	return list, nil
}

// Rotation is what Rotate did.
type Rotation struct {
	// Rotated reports whether another key signs now. If not, the next key has not
	// been published for Purpose.Lead yet, or somebody else rotated at this moment.
	Rotated bool
	Current string // id of the key that signs now
	Next    string // id of the key that will after it
	// NextFrom is when Next may sign.
	NextFrom time.Time
	// Dropped are the ids of previous keys that were removed: nothing they signed
	// is valid any more.
	Dropped []string
}

// Rotate moves the keys one stage on: the next becomes the current one, the
// current becomes a previous one and goes on verifying, and a new next is made
// and published. Previous keys past their Purpose.Retention are removed.
//
// A next key younger than Purpose.Lead stays where it is, unless at once is set:
// so running this twice, or on two replicas at the same time, rotates once. With
// at once, verifiers that keep the public keys may refuse new signatures until
// they fetch them again; stoa's own replicas do not. Of several that rotate at
// once at the same time, one does.
//
// Other processes notice within a minute.
func (r *Ring) Rotate(ctx context.Context, atOnce bool) (Rotation, error) {
	// Read outside of the transaction, so that two who saw the same current key
	// are told apart: the second finds that it is not current any more.
	seen, err := r.Store.ListKeys(ctx, r.Purpose.Name)
	if err != nil {
		return Rotation{}, fmt.Errorf("signing keys: %w", err)
	}
	current, ok := ofStage(seen, StageCurrent)
	if !ok {
		return Rotation{}, errors.New("signing keys: none is current")
	}
	var done Rotation
	err = r.Store.InTx(ctx, func(tx Store) (err error) {
		done, err = r.rotate(ctx, tx, current, atOnce)
		return err
	})
	if err != nil {
		return Rotation{}, fmt.Errorf("signing keys: %w", err)
	}
	r.forget()
	return done, nil
}

func (r *Ring) rotate(ctx context.Context, tx Store, current StoredKey, atOnce bool) (Rotation, error) {
	now := r.Now()
	// First of all, and whatever else happens: this locks the row, so that
	// everything below is read and written by one process at a time.
	err := tx.MoveKey(ctx, current.ID, StageCurrent, StageCurrent, current.StageSince)
	mine := err == nil
	if err != nil && errs.KindOf(err) != errs.NotFound {
		return Rotation{}, err
	}
	keys, err := tx.ListKeys(ctx, r.Purpose.Name)
	if err != nil {
		return Rotation{}, err
	}
	var done Rotation
	if done.Dropped, err = r.drop(ctx, tx, keys, now); err != nil {
		return Rotation{}, err
	}
	next, ok := ofStage(keys, StageNext)
	if mine && ok && (atOnce || !now.Before(r.Purpose.info(next).Until)) {
		if err := r.promote(ctx, tx, current, next); err != nil {
			return Rotation{}, err
		}
		done.Rotated = true
	}
	if done.Rotated || !ok {
		if err := tx.AddKeyOnce(ctx, r.newKey(StageNext, now)); err != nil {
			return Rotation{}, err
		}
	}
	if keys, err = tx.ListKeys(ctx, r.Purpose.Name); err != nil {
		return Rotation{}, err
	}
	current, _ = ofStage(keys, StageCurrent)
	next, _ = ofStage(keys, StageNext)
	done.Current, done.Next, done.NextFrom = current.ID, next.ID, r.Purpose.info(next).Until
	return done, nil
}

// promote lets next sign in place of current, and records it.
func (r *Ring) promote(ctx context.Context, tx Store, current, next StoredKey) error {
	now := r.Now()
	if err := tx.MoveKey(ctx, current.ID, StageCurrent, StagePrevious, now); err != nil {
		return err
	}
	if err := tx.MoveKey(ctx, next.ID, StageNext, StageCurrent, now); err != nil {
		return err
	}
	return tx.Record(ctx, audit.New(ctx, now, audit.KeysRotate, audit.Target{Type: "signing_key", ID: next.ID}, audit.Details{"purpose": r.Purpose.Name, "previous": current.ID}))
}

// drop removes the previous keys nothing depends on any more.
func (r *Ring) drop(ctx context.Context, tx Store, keys []StoredKey, now time.Time) (dropped []string, err error) {
	for _, k := range keys {
		if k.Stage != StagePrevious || now.Before(r.Purpose.info(k).Until) {
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
	k := GenerateKey()
	return StoredKey{ID: k.ID, Purpose: r.Purpose.Name, Stage: stage, Sealed: r.Box.Seal(k.Seed(), k.ID), CreatedAt: now, StageSince: now}
}

// forget makes the next use of a key look into the database.
func (r *Ring) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.loaded.IsZero() {
		r.loaded = r.loaded.Add(-ringFresh)
	}
}
