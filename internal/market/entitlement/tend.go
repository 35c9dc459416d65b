package entitlement

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/base/errs"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
)

const (
	maxChecks = 8 // at the same time
	sawEvery  = 10 * time.Minute
	lastDay   = 24 * time.Hour
)

// Keep checks all licenses now, and looks again and again which are due, until ctx ends. It is for one process
// at a time.
func (s *Service) Keep(ctx context.Context, every time.Duration) {
	all := true
	task := background.Task{Every: every, Log: s.Log, Failed: "licenses of packages cannot be looked after"}
	task.Run(ctx, func(ctx context.Context) error {
		list, err := s.Store.List(ctx)
		if err != nil {
			return err
		}
		first := all
		all = false // whatever fails in it: what could not be checked is due on its own
		return s.tendAll(ctx, list, first)
	})
}

// Tend looks after all licenses once: it checks those that are due, or all; takes and gives back seats of
// packages that were restored and uninstalled; and mails about graces.
func (s *Service) Tend(ctx context.Context, all bool) error {
	list, err := s.Store.List(ctx)
	if err != nil {
		return err
	}
	return s.tendAll(ctx, list, all)
}

func (s *Service) tendAll(ctx context.Context, list []License, all bool) error {
	now := s.now()
	behind := func(l License) bool { return now.Sub(l.LastSeen) >= sawEvery }
	if slices.ContainsFunc(list, behind) {
		if err := s.Store.Saw(ctx, now); err != nil {
			return err
		}
		for i := range list {
			list[i].LastSeen = later(now, list[i].LastSeen)
		}
	}
	var running sync.WaitGroup
	turn, failed := make(chan struct{}, maxChecks), make([]error, len(list))
	for i, l := range list {
		turn <- struct{}{}
		running.Go(func() {
			defer func() { <-turn }()
			if err := s.tend(ctx, l, all); errs.KindOf(err) != errs.NotFound { // else it is gone
				failed[i] = err
			}
		})
	}
	running.Wait()
	return errors.Join(errors.Join(failed...), s.freeDue(ctx))
}

func (s *Service) tend(ctx context.Context, l License, check bool) error {
	switch {
	case l.Live && !l.Installed:
		next := l
		next.Installed = true
		found, err := s.update(ctx, l, next)
		if err != nil {
			return err
		}
		l.Installed, l.Revision = found.Installed, found.Revision
	case l.Live && !l.Seated:
		if key, err := s.open(l.Sealed, l.ID); err == nil {
			return s.reactivate(ctx, l, key)
		} // else nobody can take one: the check says so
	case !l.Live && l.Installed:
		return s.leave(ctx, l)
	case !l.Live && !s.now().Before(l.GraceUntil):
		return s.leave(ctx, l) // whoever wanted to install it does so no more, or begins anew
	case !l.Live:
		return nil // about to be installed
	}
	now := s.now()
	state, reason := l.At(now)
	if check || !isAhead(l.Due, now, checkEvery) || state != l.State || reason != l.Reason {
		var err error
		if l, err = s.check(ctx, l); err != nil {
			return err
		}
	}
	return s.mail(ctx, l)
}

// leave gives back the seat of a package that was uninstalled, and forgets the license once the package
// cannot be restored.
func (s *Service) leave(ctx context.Context, l License) error {
	if !l.Seated && l.Known {
		return nil
	}
	return s.Store.InTx(ctx, func(tx Store) error {
		current, err := tx.Get(ctx, l.Kind, l.Slug)
		if err != nil {
			return err
		}
		if current.Revision != l.Revision {
			return nil // the next look knows more
		}
		if err := s.unseat(ctx, tx, current); err != nil {
			return err
		}
		if !current.Known {
			return tx.Delete(ctx, current.ID)
		}
		current.Seated = false
		current.Revision++
		return tx.Update(ctx, current)
	})
}

// reactivate takes a seat again for a package that was restored. If there is none, the check says so.
func (s *Service) reactivate(ctx context.Context, l License, key string) error {
	now := s.now()
	if l.Due.After(now) && l.Due.Sub(now) < retryRestored {
		return nil // it was tried a moment ago
	}
	_, err := s.Activate(ctx, l.Subject, key)
	if err == nil {
		return nil
	}
	s.Log.InfoContext(ctx, "a package was restored, and no seat could be taken for it",
		s.names(l, slog.Any("err", err))...)
	next, err := s.ask(ctx, l)
	if err != nil {
		return err
	}
	next.Due = now.Add(retryRestored - time.Second)
	// What the market says of it counts, unless it only says that there is no seat: one may become free.
	if next.CheckedAt.After(l.CheckedAt) && next.Reason != NotActivated {
		next.Seated, next.Due = true, next.nextCheck(now, spread())
	}
	_, err = s.update(ctx, l, next)
	return err
}

// retryRestored is how often a seat is asked for again for a package that was restored while its market
// was away.
const retryRestored = time.Minute

// mail tells administrators, once each, that a grace has begun, that it ends within a day, and that a license
// has lapsed.
func (s *Service) mail(ctx context.Context, l License) error {
	now := s.now()
	due := NotMailed
	switch {
	case l.State == Lapsed:
		due = LapseMailed
	case l.State == Grace && !now.Before(l.GraceUntil.Add(-lastDay)):
		due = EndsMailed
	case l.State == Grace:
		due = BeganMailed
	}
	if due == l.Mailed || due == BeganMailed && l.Mailed == EndsMailed {
		return nil
	}
	if due != NotMailed { // before it is noted: a mail may come twice, but is not lost
		if err := s.post(ctx, l); err != nil {
			return err
		}
	}
	next := l
	next.Mailed = due
	_, err := s.update(ctx, l, next)
	return err
}

func (s *Service) post(ctx context.Context, l License) error {
	market, err := s.Markets.Get(ctx, l.Market)
	if errs.KindOf(err) == errs.NotFound {
		market.Name = l.Product // all that is left to name it by
	} else if err != nil {
		return err
	}
	admins, err := s.Administrators.Admins(ctx)
	kind, values := template.LicenseLapsed, map[string]string{template.Package: l.Slug, template.Market: market.Name}
	if l.State == Grace {
		kind, values[template.Until] = template.LicenseGrace, template.Moment(l.GraceUntil)
	}
	for _, to := range admins {
		s.Poster.Post(ctx, func(context.Context) (mail.Message, bool, error) {
			return kind.Message(to.Address, to.Language, values), true, nil
		})
	}
	return err
}
