package entitlement

import (
	"context"
	"errors"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/market/remote"
)

// abandonAfter is how long a seat that was taken waits for its license to be kept. If that does not
// happen, because stoa was killed, the seat is given back.
const abandonAfter = 10 * time.Minute

// Activate takes a seat and a lease with a key, and keeps both as the license of the package, in place of
// one that it had; the seat of another key is given back. It may be repeated: one stoa has one seat. The
// errors are ErrRefused, ErrOther and those of Markets.
func (s *Service) Activate(ctx context.Context, of Subject, key string) (License, error) {
	if was, err := s.Store.Get(ctx, of.Kind, of.Slug); err == nil && was.Subject != of && was.Known {
		return License{}, ErrOther
	} else if err != nil && errs.KindOf(err) != errs.NotFound {
		return License{}, err
	}
	l := License{Subject: of, ID: ids.New(), KeyTail: tail(key), Instance: s.Instance, Revision: 1}
	l.Sealed = s.Keys.Seal([]byte(key), l.ID)
	c, kept, err := s.client(ctx, l, key)
	if err != nil {
		return License{}, err
	}
	intent, err := s.intend(ctx, l, key)
	if err != nil {
		return License{}, err
	}
	if err := seat(ctx, c); err != nil {
		return License{}, s.dropRefused(ctx, intent, err)
	}
	st, err := c.Renew(ctx)
	if why, refused := refusal(err); refused {
		return License{}, s.dropRefused(ctx, intent, refuse(why))
	} else if err != nil {
		return License{}, noAnswer(err)
	}
	now := s.now()
	if l = l.leased(st, kept, now); !now.Before(l.GraceUntil) {
		return License{}, noAnswer(errOver)
	}
	l.Due = l.nextCheck(now, spread())
	return s.keep(ctx, l, key, intent)
}

// intend records that a seat is taken, so that it is given back if stoa is killed before the license is
// kept. It returns the id of the record. A seat of the same key that was to be given back is taken again.
func (s *Service) intend(ctx context.Context, l License, key string) (id string, err error) {
	err = s.Store.InTx(ctx, func(tx Store) error {
		now := s.now()
		r, ok, err := s.releaseOf(ctx, tx, l, key)
		if err != nil {
			return err
		}
		if ok && isAhead(r.TryingUntil, now, releaseTakes) {
			return remote.ErrUnreachable.With("reason", "its seat is being given back at this moment")
		}
		if !ok {
			r = Release{ID: ids.New(), Market: l.Market, Product: l.Product, Instance: l.Instance}
			r.Sealed = s.Keys.Seal([]byte(key), r.ID)
		}
		id, r.Due, r.Until, r.TryingUntil = r.ID, now.Add(abandonAfter), now.Add(releaseFor), time.Time{}
		return tx.PutRelease(ctx, r)
	})
	return id, err
}

// releaseOf returns the seat of l with that key that is to be given back, if there is one.
func (s *Service) releaseOf(ctx context.Context, tx Store, l License, key string) (r Release, ok bool, err error) {
	list, err := tx.Releases(ctx)
	if err != nil {
		return Release{}, false, err
	}
	for _, r := range list {
		if r.Market != l.Market || r.Product != l.Product || r.Instance != l.Instance {
			continue
		}
		if other, err := s.open(r.Sealed, r.ID); err == nil && other == key { // what cannot be opened is no reason to refuse
			return r, true, nil
		}
	}
	return Release{}, false, nil
}

// dropRefused forgets an intent if the market refused: then there is no seat to give back.
func (s *Service) dropRefused(ctx context.Context, intent string, refused error) error {
	if !errors.Is(refused, ErrRefused) {
		return refused
	}
	return errors.Join(refused, s.Store.DeleteRelease(ctx, intent))
}

// keep stores a new license of a package.
func (s *Service) keep(ctx context.Context, l License, key, intent string) (License, error) {
	var done effects
	err := s.Store.InTx(ctx, func(tx Store) error {
		done = effects{}
		was, err := tx.Get(ctx, l.Kind, l.Slug)
		next, store := l, tx.Update
		switch {
		case errs.KindOf(err) == errs.NotFound:
			store = tx.Create
			was = License{Subject: l.Subject, State: l.State} // there is no change to record
		case err != nil:
			return err
		default:
			if !s.sameSeat(was, l, key) {
				if err := s.unseat(ctx, tx, was); err != nil {
					return err
				}
			}
			next.ID, next.Revision, next.Live, next.Known = was.ID, was.Revision+1, was.Live, was.Known
			// Of one that is gone the license waits for the install: nobody takes it for one that was uninstalled.
			next.Installed = was.Installed && was.Live
			next.Sealed = s.Keys.Seal([]byte(key), next.ID)
		}
		if err := tx.DeleteRelease(ctx, intent); err != nil {
			return err
		}
		l = next
		return s.follow(ctx, tx, was, next, &done, store)
	})
	if errs.KindOf(err) == errs.Conflict { // another activation of the same package was faster
		return License{}, remote.ErrUnreachable.With("reason", "the package was activated at the same moment").Because(err)
	} else if err != nil {
		return License{}, err
	}
	done.run()
	return l, nil
}

// sameSeat reports whether next, which has that key, has the seat of was.
func (s *Service) sameSeat(was, next License, key string) bool {
	old, err := s.open(was.Sealed, was.ID)
	return err == nil && old == key && was.Market == next.Market && was.Product == next.Product &&
		was.Instance == next.Instance
}
