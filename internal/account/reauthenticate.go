package account

import (
	"context"
	"time"

	"stoa/internal/base/errs"
)

// RecentLife is how long a sign-in, or another proof to be there, counts as recent.
const RecentLife = 10 * time.Minute

var (
	// ErrReauthenticate is returned for a wrong password of somebody who is signed in.
	ErrReauthenticate = errs.New(errs.Unauthenticated, "REAUTHENTICATION_FAILED", "The password is wrong.")

	// ErrNotRecent asks whoever is signed in to prove that they are still there. Its details say how.
	ErrNotRecent = errs.New(errs.Forbidden, "REAUTHENTICATION_REQUIRED",
		"This needs a recent sign-in. Confirm your password and try again.")
)

// Reauthentication is the form of a user who is signed in and proves to be there.
type Reauthentication struct {
	Password string `json:"password"`
}

// Issues returns what is wrong with in.
func (in Reauthentication) Issues() errs.Issues {
	var f faults
	f.Require("password", in.Password)
	return f.Issues
}

// ProvenAt is when the session's user last proved to be there.
func (s Session) ProvenAt() time.Time {
	if s.ReauthenticatedAt.After(s.AuthenticatedAt) {
		return s.ReauthenticatedAt
	}
	return s.AuthenticatedAt
}

// RequireRecent returns ErrNotRecent unless the user signed in, or proved to be there, in this session within
// RecentLife. It asks the database, so that it holds on every replica.
func (s *Service) RequireRecent(ctx context.Context, userID, sessionID string) error {
	session, err := s.Store.Session(ctx, sessionID)
	if errs.KindOf(err) == errs.NotFound {
		return ErrToken // it ended meanwhile
	} else if err != nil {
		return err
	}
	if !s.Now().After(session.ProvenAt().Add(RecentLife)) {
		return nil
	}
	c, err := s.Store.User(ctx, userID)
	if err != nil {
		return noUser(err)
	}
	methods := []string{}
	if c.PasswordHash != "" {
		methods = append(methods, "password")
	}
	return ErrNotRecent.With("methods", methods).With("maxAge", int(RecentLife.Seconds()))
}

// Reauthenticate notes that the user of a session is there, and returns the session. It returns
// VALIDATION_ERROR, ErrReauthenticate for a wrong password, and password.ErrBusy.
func (s *Service) Reauthenticate(ctx context.Context, userID, sessionID string, in Reauthentication) (Session, error) {
	if err := in.Issues().Err(); err != nil {
		return Session{}, err
	}
	c, err := s.Store.User(ctx, userID)
	if err != nil {
		return Session{}, noUser(err)
	}
	match, _, err := s.verify(ctx, c.PasswordHash, in.Password)
	if err != nil {
		return Session{}, err
	}
	if !match {
		return Session{}, ErrReauthenticate
	}
	var session Session
	err = s.Store.InTx(ctx, func(tx Store) error {
		now, err := tx.User(ctx, userID) // before the session: see Store
		if err != nil {
			return err
		}
		if now.PasswordHash != c.PasswordHash { // changed since it was verified
			return ErrReauthenticate
		}
		if session, err = tx.Session(ctx, sessionID); err != nil {
			return err
		}
		session.ReauthenticatedAt = s.Now()
		return tx.SetReauthenticated(ctx, session.ID, session.ReauthenticatedAt)
	})
	if errs.KindOf(err) == errs.NotFound {
		return Session{}, ErrToken
	}
	return session, err
}
