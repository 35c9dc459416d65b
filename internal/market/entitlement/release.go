package entitlement

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/extension"
)

const (
	releaseFor   = 7 * 24 * time.Hour // how long it is tried
	releaseEvery = 10 * time.Minute
	releaseTakes = time.Minute // at most, for one try
)

// Release forgets the license of a package that is gone for good, was never installed, or is free, and gives its
// seat back. That is tried for seven days; an error says only that it could not be recorded. It may be
// repeated. Packages that were uninstalled, and may be restored, need no Release: Tend finds them. What is installed
// runs without a license from then on.
func (s *Service) Release(ctx context.Context, kind extension.Kind, slug string) error {
	var done effects
	err := s.Store.InTx(ctx, func(tx Store) error {
		done = effects{}
		l, err := tx.Get(ctx, kind, slug)
		if errs.KindOf(err) == errs.NotFound {
			return nil
		} else if err != nil {
			return err
		}
		if err := s.unseat(ctx, tx, l); err != nil {
			return err
		}
		return s.turn(ctx, tx, l, &done, func(ctx context.Context, l License) error { return tx.Delete(ctx, l.ID) })
	})
	if err != nil {
		return err
	}
	done.run()
	return s.freeDue(ctx)
}

// unseat records that the seat of l is to be given back, if that can be done: the seat of another instance is
// not this stoa's to give back, which may be a copy of the one that has it, and without its key nobody can.
func (s *Service) unseat(ctx context.Context, tx Store, l License) error {
	if !l.Seated {
		return nil
	}
	if l.Instance != s.Instance {
		s.cannotFree(ctx, l, "it is that of another instance")
		return nil
	}
	key, err := s.open(l.Sealed, l.ID)
	if err != nil {
		s.cannotFree(ctx, l, fmt.Sprintf("its key cannot be opened: %v", err))
		return nil
	}
	now := s.now()
	r := Release{
		ID: ids.New(), Market: l.Market, Product: l.Product, Instance: l.Instance, Due: now, Until: now.Add(releaseFor),
	}
	r.Sealed = s.Keys.Seal([]byte(key), r.ID)
	return tx.PutRelease(ctx, r)
}

func (s *Service) cannotFree(ctx context.Context, l License, why string) {
	s.Log.WarnContext(ctx, "the seat of a license is not given back: free it in the market if nobody uses it",
		s.names(l, slog.String("instance", l.Instance), slog.String("why", why))...)
}

// freeDue gives back the seats that are due.
func (s *Service) freeDue(ctx context.Context) error {
	list, err := s.Store.Releases(ctx)
	if err != nil {
		return err
	}
	for _, r := range list {
		if isAhead(r.Due, s.now(), abandonAfter) {
			continue
		}
		if err := s.free(ctx, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// free gives one seat back, unless somebody else does or it is no longer due.
func (s *Service) free(ctx context.Context, id string) error {
	r, ok, err := s.claim(ctx, id)
	if err != nil || !ok {
		return err
	}
	of := License{Subject: Subject{Market: r.Market, Product: r.Product}, Instance: r.Instance}
	if r.Instance != s.Instance { // of the stoa that this one is a copy of
		s.cannotFree(ctx, of, "it is that of another instance")
		return s.Store.DeleteRelease(ctx, r.ID)
	}
	if err = s.deactivate(ctx, of, r); err == nil || settled(err) {
		return s.Store.DeleteRelease(ctx, r.ID)
	}
	now := s.now()
	if !r.Until.After(now) {
		s.Log.WarnContext(ctx, "the seat of a license could not be given back in seven days: free it in the market",
			slog.String("market", r.Market), slog.String("product", r.Product), slog.String("instance", r.Instance))
		return s.Store.DeleteRelease(ctx, r.ID)
	}
	s.Log.InfoContext(ctx, "the seat of a license cannot be given back yet", s.names(of, slog.Any("err", err))...)
	r.Due, r.TryingUntil = now.Add(releaseEvery), time.Time{}
	return s.Store.PutRelease(ctx, r)
}

// deactivate asks the market to free the seat of r.
func (s *Service) deactivate(ctx context.Context, of License, r Release) error {
	key, err := s.open(r.Sealed, r.ID)
	if err != nil {
		return err
	}
	list, err := s.Store.List(ctx)
	if err != nil {
		return err
	}
	for _, l := range list {
		if l.Seated && s.sameSeat(l, of, key) {
			return nil // somebody tried to take the seat again that the package has
		}
	}
	asking, cancel := context.WithTimeout(ctx, releaseTakes/2)
	defer cancel()
	c, _, err := s.client(asking, of, key)
	if err == nil {
		_, err = c.Deactivate(asking)
	}
	return err
}

// claim reserves a seat for whoever gives it back now.
func (s *Service) claim(ctx context.Context, id string) (found Release, ok bool, err error) {
	err = s.Store.InTx(ctx, func(tx Store) error {
		ok = false
		list, err := tx.Releases(ctx)
		if err != nil {
			return err
		}
		now := s.now()
		for _, r := range list {
			if r.ID != id || isAhead(r.Due, now, abandonAfter) || isAhead(r.TryingUntil, now, releaseTakes) {
				continue
			}
			r.TryingUntil = now.Add(releaseTakes)
			found, ok = r, true
			return tx.PutRelease(ctx, r)
		}
		return nil
	})
	return found, ok, err
}
