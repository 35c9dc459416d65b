package impersonate

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

const (
	// tendEvery is how often Tend looks for ends that nobody noticed.
	tendEvery = time.Minute
	// tendLimit is how long that may take.
	tendLimit = 30 * time.Second
	// looks is how often a list is read again because some on it had ended.
	looks = 3
	// tended is how many it looks at.
	tended = 1000
)

// List returns one page of the impersonations that q selects, the latest first, and how many there are on all pages.
// It records the ends of those on the page that nobody noticed; Tend does so for the others.
func (s *Service) List(ctx context.Context, q Query) (page []Impersonation, total int, err error) {
	for range looks {
		if page, total, err = s.Store.ListImpersonations(ctx, q); err != nil {
			return nil, 0, err
		}
		if noted, err := s.noteEnded(ctx, page); !noted || err != nil {
			return page, total, err
		}
	}
	return s.Store.ListImpersonations(ctx, q)
}

// End ends an impersonation, unless it has ended, and returns it. The error is ErrNone.
func (s *Service) End(ctx context.Context, id string) (Impersonation, error) {
	i, err := s.Store.Impersonation(ctx, id)
	if errs.KindOf(err) == errs.NotFound {
		return Impersonation{}, ErrNone
	} else if err != nil {
		return Impersonation{}, err
	}
	if err := s.note(ctx, i, true); err != nil {
		return Impersonation{}, err
	}
	return s.Store.Impersonation(ctx, id)
}

// RecordEnd records the end of an impersonation, if the session with that id is one that has ended and nobody else
// noticed. A failure is logged: somebody else will notice.
func (s *Service) RecordEnd(ctx context.Context, session string) {
	ctx = context.WithoutCancel(ctx) // whoever goes away has noticed, too
	i, err := s.Store.Impersonation(ctx, session)
	if err == nil {
		_, err = s.noteIfEnded(ctx, i)
	}
	if err != nil && errs.KindOf(err) != errs.NotFound {
		s.Log.WarnContext(ctx, "the end of an impersonation could not be recorded yet", slog.Any("err", err))
	}
}

// noteIfEnded records the end of an impersonation that is over, and reports whether it did.
func (s *Service) noteIfEnded(ctx context.Context, i Impersonation) (noted bool, err error) {
	if !i.EndedAt.IsZero() {
		return false, nil
	}
	if on, err := s.Accounts.Stands(ctx, i.ID); on || err != nil {
		return false, err
	}
	return true, s.note(ctx, i, false)
}

// noteEnded records the ends in a list that nobody noticed, and reports whether there were any.
func (s *Service) noteEnded(ctx context.Context, list []Impersonation) (some bool, err error) {
	quiet := reqctx.WithCaller(ctx, reqctx.Caller{}) // whoever looks has not ended it
	for _, i := range list {
		noted, err := s.noteIfEnded(quiet, i)
		if err != nil {
			return some, err
		}
		some = some || noted
	}
	return some, nil
}

// note ends an impersonation's session and records that, unless somebody else did. It then waits for all processes only
// if told to (account.Users.Settle).
func (s *Service) note(ctx context.Context, i Impersonation, settle bool) error {
	return s.Store.InTx(ctx, func(tx Store) error {
		if settle {
			tx.Settle(ctx)
		}
		if _, err := tx.User(ctx, i.User.ID); err != nil && errs.KindOf(err) != errs.NotFound { // before its sessions
			return err
		}
		// One that is gone is not deleted again: whoever deletes one waits until all processes know.
		_, err := tx.Session(ctx, i.ID)
		if err == nil {
			err = tx.DeleteSession(ctx, i.User.ID, i.ID)
		}
		if err != nil && errs.KindOf(err) != errs.NotFound {
			return err
		}
		at := s.Now().UTC().Truncate(time.Millisecond)
		if i.EndsAt.Before(at) {
			at = i.EndsAt
		}
		first, err := tx.NoteEnd(ctx, i.ID, at)
		if err != nil || !first {
			return err
		}
		return tx.Record(ctx, audit.New(ctx, s.Now(), audit.ImpersonationEnd, audit.Target{Type: "user", ID: i.User.ID},
			audit.Details{"id": i.ID, "staff": i.Staff.ID, "endedAt": at.Format(time.RFC3339)}))
	})
}

// look records the ends that nobody noticed.
func (s *Service) look(ctx context.Context) error {
	open, _, err := s.Store.ListImpersonations(ctx, Query{Open: true, Limit: tended})
	if err == nil {
		_, err = s.noteEnded(ctx, open)
	}
	return err
}

// Tend records ends that nobody noticed, and deletes what ended long ago, at once and then every minute, until ctx is
// done. One process at a time is enough.
func (s *Service) Tend(ctx context.Context, log *slog.Logger) {
	task := background.Task{
		Every: tendEvery, Limit: tendLimit, Log: log, Failed: "ends of impersonations could not be recorded",
	}
	task.Run(ctx, func(ctx context.Context) error {
		if err := s.look(ctx); err != nil {
			return err
		}
		return s.Store.DeleteImpersonations(ctx, s.Now().Add(-kept))
	})
}
