package rewrap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/trust/audit"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

// Rewrap replaces the master key of a database. It may be interrupted at any time, and continues
// where it stopped when it is run again.
type Rewrap struct {
	DB *database.DB
	// Known are both keys, in any order.
	Known []*seal.Key
	// Wait is how long to wait for processes that do not know the new key or do not seal with it
	// yet.
	Wait time.Duration
	// Settle is how long ago all processes must have switched to the new key before the last pass
	// over the tables: longer than any transaction takes.
	Settle time.Duration
	// Reuse allows a new key that an earlier rewrap replaced.
	Reuse bool
	// Printf reports progress to the operator.
	Printf func(format string, args ...any)
}

// Result is the outcome of a Rewrap.
type Result struct {
	Old, New *seal.Key
	// Sealed is how many values were sealed again, including those of interrupted runs.
	Sealed int
	// Unreadable are values that neither key opens. They stay as they are.
	Unreadable []string
}

// ErrNotAll is returned if, after Rewrap.Wait, some processes do not know the new key or do not
// seal with it.
var ErrNotAll = errors.New("not all running processes are ready")

// ErrRetired is returned if the new key is one that an earlier rewrap replaced, and Rewrap.Reuse
// does not allow that.
var ErrRetired = errors.New("an earlier rewrap replaced this key")

// ErrExchanged is returned if the second of Rewrap.Known already seals, and no recorded rewrap
// replaced the first by it. The first may never have been a key of this database.
var ErrExchanged = errors.New("seals already, and has not replaced the other key")

// errOvertaken is returned if another run changed the key after this one read the state.
var errOvertaken = errors.New("another rewrap has started meanwhile: run this one again")

// Run replaces the key that seals with the other one, or finishes doing so. When it returns nil,
// the old key is no longer needed.
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
	// Processes that joined since with only the old key cannot get ready.
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
	done.Unreadable = p.unreadable
	err = r.DB.Conn().InTx(ctx, func(tx database.Conn) error {
		now, err := lockProgress(ctx, tx)
		if err != nil || now == nil || !masterkey.Proves(old, now.From) { // another run has finished
			return err
		}
		done.Sealed = now.Total
		// Archives are not in the database. By now every process has sealed with the new key for so long that none
		// stores one as ready that it began before.
		if err := store.RemakeExports(ctx, tx); err != nil {
			return err
		}
		return (&store.Settings{Conn: tx}).Delete(ctx, store.SettingRewrap)
	})
	return done, err
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
		return nil, nil, ErrOtherKey
	}
	other := r.Known[0]
	if other == sealing {
		other = r.Known[1]
	}
	switch {
	case state.rewrap != nil && !masterkey.Proves(other, state.rewrap.From):
		return nil, nil, errors.New("the rewrap that has not finished is from another master key than these")
	case state.rewrap != nil:
		return other, sealing, nil
	case sealing == r.Known[1]: // finished
		replaced, err := r.replaced(ctx, other, sealing)
		if err == nil && !replaced {
			err = fmt.Errorf("%s %w, %s", sealing, ErrExchanged, other)
		}
		return other, sealing, err
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

// replaced reports whether a rewrap has replaced old. If the keys were given in the wrong order
// before the first rewrap, none has.
func (r Rewrap) replaced(ctx context.Context, old, next *seal.Key) (bool, error) {
	retired, err := retiredKeys(ctx, r.DB.Conn())
	if err != nil || slices.Contains(retired, old.ID()) {
		return err == nil, err
	}
	// Releases that did not record names of keys wrote the audit log.
	entries, _, err := store.NewAudit(r.DB).ListEntries(ctx, audit.Query{
		Action: string(audit.KeysRewrap), Target: keyTarget + ":" + next.ID(), Limit: lookedBack,
	})
	return slices.ContainsFunc(entries, func(e audit.Entry) bool { return e.Details["previous"] == old.ID() }), err
}

const (
	keyTarget  = "master_key" // in the audit log
	lookedBack = 100          // entries: one for each time that a rewrap to the same key began
)

// begin makes next the key that seals, unless it already is.
func (r Rewrap) begin(ctx context.Context, old, next *seal.Key) error {
	return r.DB.Conn().InTx(ctx, func(tx database.Conn) error {
		settings := &store.Settings{Conn: tx}
		if _, _, err := settings.FindLocked(ctx, store.SettingMasterKeyCheck); err != nil {
			return err
		}
		state, err := readState(ctx, tx)
		if err != nil {
			return err
		}
		switch started := masterkey.Proves(next, state.check); {
		case state.rewrap != nil && started && masterkey.Proves(old, state.rewrap.From):
			return nil
		case state.rewrap != nil, !started && !masterkey.Proves(old, state.check):
			return errOvertaken
		}
		if err := (progress{From: masterkey.Proof(old)}).put(ctx, tx); err != nil {
			return err
		}
		if err := retire(ctx, tx, old, next); err != nil {
			return err
		}
		entry := audit.New(ctx, time.Now(), audit.KeysRewrap, audit.Target{Type: keyTarget, ID: next.ID()},
			audit.Details{"previous": old.ID()})
		if err := store.AuditIn(tx).Record(ctx, entry); err != nil {
			return err
		}
		return settings.Put(ctx, store.SettingMasterKeyCheck, masterkey.Proof(next))
	})
}

// waitFor waits until all processes are ready.
func (r Rewrap) waitFor(ctx context.Context, what string, ready func(keys []string) bool) error {
	holders, deadline, reported := store.NewMasterKeys(r.DB), time.Now().Add(r.Wait), ""
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
		if names != reported {
			r.Printf("waiting for these processes to %s: %s", what, names)
			reported = names
		}
		if err := sleep(ctx, followEvery/4); err != nil {
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
