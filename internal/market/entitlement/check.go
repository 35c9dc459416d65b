package entitlement

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"stoa.example/sdk/go/license"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/trust/audit"
)

// checkWithin bounds one check.
const checkWithin = 30 * time.Second

// spread returns how early a check comes.
func spread() time.Duration { return rand.N(checkSpread).Truncate(time.Millisecond) } //nolint:gosec // no secret

// Check asks the market now whether the license of a package still holds, and returns it as it is then.
// A market that is away is no error: then the license is as it was. The error is ErrNotFound for a
// package without one.
func (s *Service) Check(ctx context.Context, kind extension.Kind, slug string) (License, error) {
	l, err := s.Get(ctx, kind, slug)
	if err != nil {
		return License{}, err
	}
	return s.check(ctx, l)
}

// check asks the market about a license, and does what follows. If somebody else changed it meanwhile,
// it returns that: of two answers of the same moment, the one that is stored first counts.
func (s *Service) check(ctx context.Context, l License) (License, error) {
	if l.Live && l.Instance != s.Instance {
		if renamed, ok := s.rename(ctx, l); ok {
			return renamed, nil
		}
	}
	next, err := s.ask(ctx, l)
	if err != nil {
		return License{}, err
	}
	return s.update(ctx, l, next)
}

// rename takes a seat under the name of this stoa for a license that has one under another: this stoa got
// another address, or it is a copy of one that goes on, whose seat stays its own. Until that works the license
// is checked under the name that it has.
func (s *Service) rename(ctx context.Context, l License) (renamed License, ok bool) {
	key, err := s.open(l.Sealed, l.ID)
	if err == nil {
		renamed, err = s.Activate(ctx, l.Subject, key)
	}
	if err != nil {
		s.Log.WarnContext(ctx, "a license is that of another instance, and no seat could be taken for this one",
			s.names(l, slog.String("instance", l.Instance), slog.Any("err", err))...)
	}
	return renamed, err == nil
}

// ask returns a license after the market was asked about it. The error is one of this stoa, never of the
// market. A key that cannot be opened, because the master key is another one, is like a market that is away.
func (s *Service) ask(ctx context.Context, l License) (License, error) {
	asking, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	next := l
	var (
		c    *license.Client
		kept *held
	)
	key, failed := s.open(l.Sealed, l.ID)
	if failed == nil {
		c, kept, failed = s.client(asking, l, key)
	}
	if failed == nil {
		st, err := c.Renew(asking)
		failed = err
		switch why, refused := refusal(err); {
		case err == nil:
			if got := l.leased(st, kept, s.now()); got.helps(l, s.now()) {
				next = got
			} else {
				failed = errOver
			}
		case refused:
			next, failed = l.refusedFor(why, s.now()), nil
			next.Lease = kept.text
		}
	}
	if err := ctx.Err(); err != nil { // whoever asked is gone, which says nothing of the license
		return License{}, err
	}
	now := s.now()
	if failed != nil {
		s.Log.InfoContext(ctx, "a license cannot be checked; it stays as it is", s.names(l, slog.Any("err", failed))...)
		next.LastSeen = later(now, l.LastSeen)
		next.State, next.Reason = next.At(now)
	}
	next.Due = next.nextCheck(now, spread())
	return next, nil
}

func (s *Service) names(l License, more ...any) []any {
	return append([]any{
		slog.String("kind", string(l.Kind)), slog.String("slug", l.Slug), slog.String("market", l.Market),
		slog.String("product", l.Product),
	}, more...)
}

// errOvertaken means that somebody else changed a license first.
var errOvertaken = errors.New("entitlement: the license was changed meanwhile")

// update stores what became of a license, with all that follows.
func (s *Service) update(ctx context.Context, was, next License) (License, error) {
	var done effects
	var current License
	err := s.Store.InTx(ctx, func(tx Store) (err error) {
		done = effects{}
		if current, err = tx.Get(ctx, was.Kind, was.Slug); err != nil {
			return errs.Missing(err, ErrNotFound)
		}
		if current.ID != was.ID || current.Revision != was.Revision {
			return errOvertaken
		}
		next.Revision = was.Revision + 1
		return s.follow(ctx, tx, was, next, &done, tx.Update)
	})
	if errors.Is(err, errOvertaken) {
		return current, nil
	} else if err != nil {
		return License{}, err
	}
	done.run()
	next.Live, next.Known = was.Live, was.Known
	return next, nil
}

// effects is what follows a transaction.
type effects struct{ list []func() }

func (e *effects) add(fn func()) {
	if fn != nil {
		e.list = append(e.list, fn)
	}
}

func (e *effects) run() {
	for _, fn := range e.list {
		fn()
	}
}

// writer stores a license: Store.Create or Store.Update.
type writer func(ctx context.Context, l License) error

// follow stores the change of a license, with what follows: what stops or starts, and the entry in the audit log.
func (s *Service) follow(ctx context.Context, tx Store, was, next License, done *effects, store writer) error {
	if err := s.turn(ctx, tx, next, done, store); err != nil {
		return err
	}
	if was.State == next.State && was.Reason == next.Reason {
		return nil
	}
	done.add(func() {
		s.Log.LogAttrs(ctx, level(next.State), "the state of a license changed", slog.String("kind", string(next.Kind)),
			slog.String("slug", next.Slug), slog.String("market", next.Market), slog.String("from", string(was.State)),
			slog.String("to", string(next.State)), slog.String("reason", string(next.Reason)))
	})
	return tx.Record(ctx, entry(ctx, s.now(), was, next))
}

// turn stores a license, and stops and starts the plugins for which that makes a difference: another one may
// decide about them, such as that of a second bundle.
func (s *Service) turn(ctx context.Context, tx Store, l License, done *effects, store writer) error {
	before, err := tx.Stopped(ctx, l.Kind, l.Slug)
	if err != nil {
		return err
	}
	if err := store(ctx, l); err != nil {
		return err
	}
	after, err := tx.Stopped(ctx, l.Kind, l.Slug)
	if err != nil {
		return err
	}
	for _, slug := range slices.Sorted(maps.Keys(after)) { // packages are locked in one order
		if before[slug] == after[slug] {
			continue
		}
		turn := s.Plugins.Lapse
		if !after[slug] {
			turn = s.Plugins.Return
		}
		effect, err := turn(ctx, tx.Plugins(), slug)
		if err != nil {
			return err
		}
		done.add(effect)
	}
	return nil
}

func level(st State) slog.Level {
	if st == Grace || st == Lapsed {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// entry returns what the audit log says of the change of a license. Whoever asked for the check did not
// change it.
func entry(ctx context.Context, now time.Time, was, next License) audit.Entry {
	cause := "lease_over"
	switch {
	case next.Lease == was.Lease: // the market said nothing
	case next.State == Lapsed && next.LeasedAt.Equal(was.LeasedAt):
		cause = "refused"
	default:
		cause = "new_lease"
	}
	details := audit.Details{
		"from": string(was.State), "to": string(next.State), "cause": cause, "market": next.Market, "product": next.Product,
	}
	if next.Reason != "" {
		details["reason"] = string(next.Reason)
	}
	e := audit.New(ctx, now, audit.ExtensionLicense, audit.Target{Type: string(next.Kind), ID: next.Slug}, details)
	e.Actor, e.Behalf = audit.Actor{Kind: audit.System}, audit.Behalf{}
	return e
}
