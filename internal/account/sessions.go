package account

import (
	"context"
	"slices"

	"stoa/internal/account/token"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// Logout ends the session of an access token. An invalid token has no session to end,
// which is not an error.
func (s *Service) Logout(ctx context.Context, raw string) error {
	return s.logout(ctx, raw, token.Access)
}

// LogoutRefresh is Logout for a page that has no access token anymore, but a refresh
// token.
func (s *Service) LogoutRefresh(ctx context.Context, raw string) error {
	return s.logout(ctx, raw, token.Refresh)
}

func (s *Service) logout(ctx context.Context, raw string, kind token.Kind) error {
	claims, err := s.parse(ctx, raw, kind, ErrToken)
	if err != nil {
		return ignore(err, errs.Unauthenticated)
	}
	if err := ignore(s.Store.DeleteSession(ctx, claims.UserID, claims.SessionID), errs.NotFound); err != nil {
		return err
	}
	if claims.Actor != "" {
		reqctx.SetBehalf(ctx, reqctx.Behalf{UserID: claims.UserID, Impersonator: claims.Actor})
		s.standInEnded(reqctx.WithCaller(ctx, reqctx.Caller{UserID: claims.UserID, Impersonator: claims.Actor}),
			claims.SessionID)
	}
	return nil
}

// maxSessions is how many sessions Sessions lists.
const maxSessions = 100

// Sessions returns the user's live sessions, the most recently used first, at most
// maxSessions.
func (s *Service) Sessions(ctx context.Context, userID string) ([]Session, error) {
	c, err := s.Store.User(ctx, userID)
	if err != nil {
		return nil, noUser(err)
	}
	return s.liveSessions(ctx, s.Store, c.User)
}

// liveSessions is Sessions for a user who was just read.
func (s *Service) liveSessions(ctx context.Context, tx Store, u User) ([]Session, error) {
	now := s.Now()
	list, err := tx.ListSessions(ctx, u.ID, now, maxSessions)
	for i := range list {
		if list[i].StandIn.Any() {
			continue
		}
		list[i].EndsAt = s.sessionEnd(u.Role, list[i].AuthenticatedAt)
	}
	return slices.DeleteFunc(list, func(one Session) bool { return over(one.EndsAt, now) }), err
}

// EndSession ends one of the user's sessions. It returns ErrNoSession for an id that
// is unknown or of another user's session. Its device is forgotten: it may be somebody else's.
func (s *Service) EndSession(ctx context.Context, userID, id string) error {
	err := s.Store.InTx(ctx, func(tx Store) error {
		if _, err := tx.User(ctx, userID); err != nil { // before its sessions: see Store
			return noUser(err)
		}
		return endSession(ctx, tx, userID, id)
	})
	if err == nil {
		s.standInEnded(ctx, id)
	}
	return err
}

// endSession deletes a session and forgets its device, or returns ErrNoSession.
func endSession(ctx context.Context, tx Store, userID, id string) error {
	if err := tx.ForgetDevice(ctx, userID, id); err != nil {
		return err
	}
	err := tx.DeleteSession(ctx, userID, id)
	if errs.KindOf(err) == errs.NotFound {
		return ErrNoSession
	}
	return err
}

// EndOtherSessions ends all sessions of a user but one, and returns how many there were.
func (s *Service) EndOtherSessions(ctx context.Context, userID, session string) (ended int, err error) {
	err = s.Store.InTx(ctx, func(tx Store) error {
		c, err := tx.User(ctx, userID) // before the sessions: see Store
		if err != nil {
			return noUser(err)
		}
		if ended, err = s.countSessions(ctx, tx, c.User, session); err != nil {
			return err
		}
		return tx.DeleteSessionsExcept(ctx, userID, session)
	})
	return ended, err
}

// countSessions counts the live sessions of a user but one.
func (s *Service) countSessions(ctx context.Context, tx Store, u User, but string) (int, error) {
	live, err := s.liveSessions(ctx, tx, u)
	return len(slices.DeleteFunc(live, func(one Session) bool { return one.ID == but })), err
}

// SessionsOf is Sessions for administrators. The error is ErrNoUser for an unknown user.
func (s *Service) SessionsOf(ctx context.Context, userID string) ([]Session, error) {
	u, err := s.User(ctx, userID)
	if err != nil {
		return nil, err
	}
	return s.liveSessions(ctx, s.Store, u)
}

// EndSessionOf is EndSession for staff: it is recorded in the audit log. The error is ErrNoUser, ErrNoSession, or
// FORBIDDEN for a user above the caller.
func (s *Service) EndSessionOf(ctx context.Context, userID, id string) error {
	return s.endSessions(ctx, userID, func(tx Store, _ Credentials) (int, error) {
		return 1, endSession(ctx, tx, userID, id)
	})
}

// EndSessionsOf ends all sessions of a user and records that in the audit log, unless there
// are none. It returns how many there were. The error is ErrNoUser, or FORBIDDEN for a user above the caller.
func (s *Service) EndSessionsOf(ctx context.Context, userID string) (ended int, err error) {
	err = s.endSessions(ctx, userID, func(tx Store, c Credentials) (int, error) {
		if ended, err = s.countSessions(ctx, tx, c.User, ""); err != nil {
			return 0, err
		}
		return ended, tx.DeleteSessionsExcept(ctx, userID, "")
	})
	return ended, err
}

// endSessions ends sessions of a user, and records how many.
func (s *Service) endSessions(ctx context.Context, userID string, end func(Store, Credentials) (int, error)) error {
	if _, err := s.User(ctx, userID); err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx Store) error {
		c, err := tx.User(ctx, userID) // before its sessions: see Store
		if err != nil {
			return noUser(err)
		}
		if err := CheckAbove(ctx, tx, c.Role); err != nil {
			return err
		}
		ended, err := end(tx, c)
		if err != nil || ended == 0 {
			return err
		}
		return tx.Record(ctx, audit.New(ctx, s.Now(), audit.UserEndSessions, audit.Target{Type: "user", ID: userID},
			audit.Details{"sessions": ended}))
	})
}
