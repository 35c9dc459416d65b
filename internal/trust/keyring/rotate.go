package keyring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/trust/audit"
)

// Info is the public information about a signing key.
type Info struct {
	ID        string
	Stage     Stage
	CreatedAt time.Time
	Since     time.Time // when it entered its stage

	// Until is when the key may leave its stage: when a next key may sign, or when a
	// previous key is no longer needed. It is zero for the current key.
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

// Rotation is the result of Rotate.
type Rotation struct {
	// Rotated reports whether another key signs now. If not, the next key was published
	// less than Purpose.Lead ago, or another process has just rotated the keys.
	Rotated bool
	Current string // id of the current key
	Next    string // id of the next key
	// NextFrom is when the next key may sign.
	NextFrom time.Time
	// Dropped are the ids of the previous keys that were deleted because nothing that
	// they signed is still valid.
	Dropped []string
}

// Rotate moves the keys one stage on: the next key becomes the current one, the current
// key becomes a previous one, which still verifies, and a new next key is created and
// published. Previous keys older than Purpose.Retention are deleted.
//
// A next key younger than Purpose.Lead stays where it is, unless atOnce is set. So
// running Rotate twice, or on two replicas, rotates once. With atOnce, verifiers that
// cache the public keys may refuse new signatures until they fetch the keys again;
// stoa's own replicas do not. If several processes rotate with atOnce at the same time,
// the keys are rotated once.
//
// Other processes notice within a minute. The error is that of MaySign if the next key may not sign.
func (r *Ring) Rotate(ctx context.Context, atOnce bool) (Rotation, error) {
	// Read before the transaction: if two processes see the same current key, the second
	// to lock it finds that it is no longer current.
	seen, err := r.Store.ListKeys(ctx, r.Purpose.Name)
	if err != nil {
		return Rotation{}, fmt.Errorf("signing keys: %w", err)
	}
	current, ok := ofStage(seen, StageCurrent)
	if !ok {
		return Rotation{}, errors.New("signing keys: there is no current key")
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
	// First, because this locks the row: only one process at a time does what follows.
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
		if r.MaySign != nil {
			if err := r.MaySign(ctx, next.ID); err != nil {
				return Rotation{}, err
			}
		}
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

// promote makes next the current key and current a previous one, and records that.
func (r *Ring) promote(ctx context.Context, tx Store, current, next StoredKey) error {
	now := r.Now()
	if err := tx.MoveKey(ctx, current.ID, StageCurrent, StagePrevious, now); err != nil {
		return err
	}
	if err := tx.MoveKey(ctx, next.ID, StageNext, StageCurrent, now); err != nil {
		return err
	}
	return tx.Record(ctx, audit.New(ctx, now, audit.KeysRotate, audit.Target{Type: "signing_key", ID: next.ID},
		audit.Details{"purpose": r.Purpose.Name, "previous": current.ID}))
}

// drop deletes the previous keys that are no longer needed.
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
	return StoredKey{
		ID: k.ID, Purpose: r.Purpose.Name, Stage: stage, Sealed: r.Box.Seal(k.Seed(), k.ID),
		CreatedAt: now, StageSince: now,
	}
}

// forget makes the next use of the Ring read the keys again.
func (r *Ring) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.loaded.IsZero() {
		r.loaded = r.loaded.Add(-ringFresh)
	}
}
