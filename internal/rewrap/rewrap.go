package rewrap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa/internal/audit"
	"stoa/internal/database"
	"stoa/internal/masterkey"
	"stoa/internal/seal"
	"stoa/internal/store"
)

// Rewrap replaces the master key of a database. It may be interrupted at any moment, and goes
// on where it was when it is run again.
type Rewrap struct {
	DB *database.DB
	// Known are both keys, in any order.
	Known []*seal.Key
	// Wait is how long to wait for processes that do not know the new key, or do not seal with
	// it yet.
	Wait time.Duration
	// Settle is how long ago all processes must have begun to seal with the new key before the
	// last pass over the tables: longer than any transaction takes.
	Settle time.Duration
	// Reuse allows a new key that an earlier rewrap replaced.
	Reuse bool
	// Say tells the operator what happens.
	Say func(format string, args ...any)
}

// Result says what a Rewrap came to.
type Result struct {
	Old, New *seal.Key
	// Sealed is how many values were sealed again, also by runs that were interrupted.
	Sealed int
	// Unreadable are values that neither key opens, and that stay as they are.
	Unreadable []string
}

// ErrNotAll is returned when there are processes that do not know the new key, or do not
// seal with it, after Rewrap.Wait.
var ErrNotAll = errors.New("not all running processes are ready")

// ErrRetired is returned if the new key is one that an earlier rewrap replaced, and Rewrap.Reuse
// does not allow that.
var ErrRetired = errors.New("an earlier rewrap replaced this key")

// Run replaces the key that seals by the other one, or finishes doing so. When it returns nil,
// the old key is not needed any more.
func (r Rewrap) Run(ctx context.Context) (Result, error) {
	old, next, err := r.roles(ctx)
	if err != nil {
		return Result{}, err
	}
	done := Result{Old: old, New: next}
	if err := r.waitFor(ctx, "know the new key", func(keys []string) bool {
		return slices.Contains(keys, next.ID())
	}); err != nil {
		return done, err
	}
	if err := r.begin(ctx, old, next); err != nil {
		return done, err
	}
	// Also those that have joined since, with the old key only: they cannot get ready.
	if err := r.waitFor(ctx, "seal with the new key", func(keys []string) bool {
		return len(keys) > 0 && keys[0] == next.ID()
	}); err != nil {
		return done, err
	}
	settled := time.Now().Add(r.Settle)
	p := &pass{rewrap: r, old: old, next: next}
	for {
		final := !time.Now().Before(settled)
		clean, err := p.run(ctx)
		if err != nil {
			return done, err
		}
		if clean && final {
			break
		}
		if err := sleep(ctx, time.Until(settled)); err != nil {
			return done, err
		}
	}
	state, err := readState(ctx, r.DB.Conn())
	if err != nil {
		return done, err
	}
	if state.rewrap != nil {
		done.Sealed = state.rewrap.Total
	}
	done.Unreadable = p.unreadable
	return done, store.NewSettings(r.DB).Delete(ctx, store.SettingRewrap)
}

// roles returns which of the known keys is the old one and which the new one.
func (r Rewrap) roles(ctx context.Context) (old, next *seal.Key, err error) {
	if len(r.Known) != 2 || r.Known[0].ID() == r.Known[1].ID() {
		return nil, nil, errors.New("two different master keys are needed")
	}
	state, err := readState(ctx, r.DB.Conn())
	if err != nil {
		return nil, nil, err
	}
	sealing := masterkey.Prover(r.Known, state.check)
	if sealing == nil {
		return nil, nil, errOtherKey
	}
	other := r.Known[0]
	if other == sealing {
		other = r.Known[1]
	}
	switch {
	case state.rewrap != nil && !masterkey.Proves(other, state.rewrap.From):
		return nil, nil, errors.New("the rewrap that has not finished is from another master key than these")
	case state.rewrap != nil, sealing == r.Known[1]: // begun, or finished
		return other, sealing, nil
	}
	if r.Reuse {
		return sealing, other, nil
	}
	retired, err := retiredKeys(ctx, r.DB.Conn())
	if err == nil && slices.Contains(retired, other.ID()) {
		err = fmt.Errorf("%s shall replace %s: %w", other, sealing, ErrRetired)
	}
	return sealing, other, err
}

// begin makes next the key that seals, unless it is already.
func (r Rewrap) begin(ctx context.Context, old, next *seal.Key) error {
	return r.DB.Conn().InTx(ctx, func(tx database.Conn) error {
		state, err := readState(ctx, tx)
		if err != nil || state.rewrap != nil {
			return err
		}
		if err := (progress{From: masterkey.Proof(old)}).put(ctx, tx); err != nil {
			return err
		}
		if err := retire(ctx, tx, old, next); err != nil {
			return err
		}
		entry := audit.New(ctx, time.Now(), audit.KeysRewrap, audit.Target{Type: "master_key", ID: next.ID()},
			audit.Details{"previous": old.ID()})
		if err := store.AuditIn(tx).Record(ctx, entry); err != nil {
			return err
		}
		return (&store.Settings{Conn: tx}).Put(ctx, store.SettingMasterKeyCheck, masterkey.Proof(next))
	})
}

// waitFor waits until all processes are ready.
func (r Rewrap) waitFor(ctx context.Context, what string, ready func(keys []string) bool) error {
	holders, deadline, said := store.NewMasterKeys(r.DB), time.Now().Add(r.Wait), ""
	for {
		list, err := holders.Holders(ctx, seenWithin)
		if err != nil {
			return err
		}
		var late []string
		for _, h := range list {
			if !ready(h.Keys) {
				late = append(late, h.Name)
			}
		}
		if len(late) == 0 {
			return nil
		}
		names := strings.Join(late, ", ")
		if !time.Now().Before(deadline) {
			return fmt.Errorf("%w: %s must %s", ErrNotAll, names, what)
		}
		if names != said {
			r.Say("waiting for these processes to %s: %s", what, names)
			said = names
		}
		if err := sleep(ctx, lookEvery/4); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
