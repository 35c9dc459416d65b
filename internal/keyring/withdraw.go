package keyring

import (
	"context"
	"errors"
	"fmt"

	"stoa/internal/audit"
	"stoa/internal/errs"
)

// Withdrawal is what Withdraw did.
type Withdrawal struct {
	Current string // id of the key that signs now
	Next    string // id of the key that will after it
	// Withdrawn are the ids of the keys that are gone, oldest first.
	Withdrawn []string
}

// maxWithdrawals is how often Withdraw begins anew when somebody else changes the
// keys at the same moment.
const maxWithdrawals = 10

// Withdraw is for keys that somebody stole: it deletes those of all stages, the
// next one too, since it was stolen with them, and makes a new current and a new
// next key. Nothing the old ones signed, or will sign, verifies any more, here or
// where the new public keys are known; and who knows only the old ones takes
// nothing for genuine that is signed from now on.
//
// It is recorded in the audit log. Of several at the same time, each withdraws
// what it finds. Other processes notice within a minute, and sign with the old
// key until then.
func (r *Ring) Withdraw(ctx context.Context) (Withdrawal, error) {
	for range maxWithdrawals {
		seen, err := r.Store.ListKeys(ctx, r.Purpose.Name)
		if err != nil {
			return Withdrawal{}, fmt.Errorf("signing keys: %w", err)
		}
		current, ok := ofStage(seen, StageCurrent)
		if !ok {
			return Withdrawal{}, errors.New("signing keys: none is current")
		}
		var done Withdrawal
		err = r.Store.InTx(ctx, func(tx Store) (err error) {
			done, err = r.withdraw(ctx, tx, current)
			return err
		})
		switch {
		case errs.KindOf(err) == errs.NotFound:
			continue // somebody else moved the keys on since: look again
		case err != nil:
			return Withdrawal{}, fmt.Errorf("signing keys: %w", err)
		}
		r.forget()
		return done, nil
	}
	return Withdrawal{}, errors.New("signing keys: another process keeps changing them; nothing was withdrawn")
}

// withdraw returns an errs.NotFound error when current is not current any more.
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
