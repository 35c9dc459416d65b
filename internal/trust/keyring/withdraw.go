package keyring

import (
	"context"
	"errors"
	"fmt"

	"stoa/internal/base/errs"
	"stoa/internal/trust/audit"
)

// Withdrawal is the result of Withdraw.
type Withdrawal struct {
	Current string // id of the new current key
	Next    string // id of the new next key
	// Withdrawn are the ids of the deleted keys, oldest first.
	Withdrawn []string
}

// maxWithdrawals is how often Withdraw tries again if another process changes the keys
// at the same time.
const maxWithdrawals = 10

// Withdraw replaces stolen keys. It deletes the keys of all stages, including the next one, which
// was stolen as well, and creates a new current and a new next key. Verifiers with the new public
// keys reject everything that the old keys have signed or will sign. Verifiers with only the old
// ones reject everything that is signed from now on.
//
// The withdrawal is recorded in the audit log. Concurrent calls each withdraw the keys
// that they find. Other processes notice within a minute, and sign with the old key
// until then.
func (r *Ring) Withdraw(ctx context.Context) (Withdrawal, error) {
	for range maxWithdrawals {
		seen, err := r.Store.ListKeys(ctx, r.Purpose.Name)
		if err != nil {
			return Withdrawal{}, fmt.Errorf("signing keys: %w", err)
		}
		current, ok := ofStage(seen, StageCurrent)
		if !ok {
			return Withdrawal{}, errors.New("signing keys: there is no current key")
		}
		var done Withdrawal
		err = r.Store.InTx(ctx, func(tx Store) (err error) {
			done, err = r.withdraw(ctx, tx, current)
			return err
		})
		switch {
		case errs.KindOf(err) == errs.NotFound:
			continue // another process has moved the keys: try again
		case err != nil:
			return Withdrawal{}, fmt.Errorf("signing keys: %w", err)
		}
		r.forget()
		return done, nil
	}
	return Withdrawal{}, errors.New("signing keys: another process keeps changing them; nothing was withdrawn")
}

// withdraw returns an errs.NotFound error if current is no longer the current key.
func (r *Ring) withdraw(ctx context.Context, tx Store, current StoredKey) (Withdrawal, error) {
	now := r.Now()
	// First, as in rotate: this locks the row.
	if err := tx.MoveKey(ctx, current.ID, StageCurrent, StageCurrent, current.StageSince); err != nil {
		return Withdrawal{}, err
	}
	keys, err := tx.ListKeys(ctx, r.Purpose.Name)
	if err != nil {
		return Withdrawal{}, err
	}
	var done Withdrawal
	for _, k := range keys {
		if k.Stage != StagePrevious {
			if err := tx.MoveKey(ctx, k.ID, k.Stage, StagePrevious, now); err != nil {
				return Withdrawal{}, err
			}
		}
		if err := tx.DeletePreviousKey(ctx, k.ID); err != nil {
			return Withdrawal{}, err
		}
		done.Withdrawn = append(done.Withdrawn, k.ID)
	}
	fresh, next := r.newKey(StageCurrent, now), r.newKey(StageNext, now)
	done.Current, done.Next = fresh.ID, next.ID
	for _, k := range []StoredKey{fresh, next} {
		if err := tx.AddKeyOnce(ctx, k); err != nil {
			return Withdrawal{}, err
		}
	}
	return done, tx.Record(ctx, audit.New(ctx, now, audit.KeysWithdraw, audit.Target{Type: "signing_key", ID: fresh.ID},
		audit.Details{"purpose": r.Purpose.Name, "withdrawn": done.Withdrawn}))
}
