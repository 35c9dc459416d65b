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
	// tended is how many it looks at.
	tended = 1000
)

// List returns one page of the impersonations that q selects, the latest first, and how many there are on all pages.
func (s *Service) List(ctx context.Context, q Query) ([]Impersonation, int, error) {
	if err := s.look(ctx, q.UserID); err != nil {
		return nil, 0, err
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
	if err := s.note(ctx, i); err != nil {
		return Impersonation{}, err
	}
	return s.Store.Impersonation(ctx, id)
}

// Noticed records the end of an impersonation, if the session with that id is one that has ended and nobody else
// noticed. A failure is logged: somebody else will notice.
func (s *Service) Noticed(ctx context.Context, session string) {
	ctx = context.WithoutCancel(ctx) // whoever goes away has noticed, too
	i, err := s.Store.Impersonation(ctx, session)
	if err == nil {
		err = s.noteIfEnded(ctx, i)
	}
	if err != nil && errs.KindOf(err) != errs.NotFound {
		s.Log.WarnContext(ctx, "the end of an impersonation could not be recorded yet", slog.Any("err", err))
	}
}

func (s *Service) noteIfEnded(ctx context.Context, i Impersonation) error {
	if !i.EndedAt.IsZero() {
		return nil
	}
	if on, err := s.Accounts.Stands(ctx, i.ID); on || err != nil {
		return err
	}
	return s.note(ctx, i)
}

// note ends an impersonation's session and records that, unless somebody else did.
func (s *Service) note(ctx context.Context, i Impersonation) error {
	return s.Store.InTx(ctx, func(tx Store) error {
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

// look records the ends that nobody noticed, of impersonations of a user, or of all.
func (s *Service) look(ctx context.Context, userID string) error {
	open, _, err := s.Store.ListImpersonations(ctx, Query{UserID: userID, Open: true, Limit: tended})
	if err != nil {
		return err
	}
	quiet := reqctx.WithCaller(ctx, reqctx.Caller{}) // whoever looks has not ended it
	for _, i := range open {
		if err := s.noteIfEnded(quiet, i); err != nil {
			return err
		}
	}
	return nil
}

// Tend records ends that nobody noticed, and deletes what ended long ago, at once and then every minute, until ctx is
// done. One process at a time is enough.
func (s *Service) Tend(ctx context.Context, log *slog.Logger) {
	task := background.Task{Every: tendEvery, Limit: tendLimit, Log: log, Failed: "ends of impersonations could not be recorded"}
	task.Run(ctx, func(ctx context.Context) error {
		if err := s.look(ctx, ""); err != nil {
			return err
		}
		return s.Store.DeleteImpersonations(ctx, s.Now().Add(-kept))
	})
}
