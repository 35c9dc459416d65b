package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"stoa/internal/account/token"
	"stoa/internal/errs"
)

// RefreshRequest is what a client says that wants a new token set.
type RefreshRequest struct {
	RefreshToken string `json:"refresh_token"`
}

// Issues returns what is wrong with r.
func (r RefreshRequest) Issues() []errs.Issue {
	var f faults
	f.Require("refresh_token", r.RefreshToken)
	return f.List()
}

// Refresh exchanges a refresh token for a new token set. The token stops
// working, but for RefreshGrace it answers with the same successor: two tabs may
// refresh at once, and an answer may get lost. Used later it ends the session,
// because somebody else holds a copy.
//
// It returns ErrRefresh for every token that gives no new one, and
// ErrManyRefreshes.
func (s *Service) Refresh(ctx context.Context, raw string) (Tokens, error) {
	if err := errs.Validation(RefreshRequest{RefreshToken: raw}.Issues()...); err != nil {
		return Tokens{}, err
	}
	claims, err := s.parse(ctx, raw, token.Refresh, ErrRefresh)
	if err != nil {
		return Tokens{}, err
	}
	key, err := s.Ring.Signer(ctx)
	if err != nil {
		return Tokens{}, err
	}
	var (
		user    User
		session Session
		answer  Refresh
		reused  bool
	)
	err = s.Store.InShortTx(ctx, func(tx Store) error {
		reused = false                        // it may run again
		c, err := tx.User(ctx, claims.UserID) // before the session: see Store
		if err != nil {
			return err
		}
		if session, err = tx.Session(ctx, claims.SessionID); err != nil {
			return err
		}
		now := s.Now()
		if session.UserID != c.ID || !c.Active || !now.Before(session.ExpiresAt()) {
			return ErrRefresh
		}
		if claims.ID == session.Refresh.ID && session.full(now) {
			return ErrManyRefreshes
		}
		user = c.User
		var changed, ok bool
		answer, changed, ok = session.rotate(claims.ID, newRefresh(key.ID, now), now)
		if reused = !ok; reused {
			return tx.DeleteSession(ctx, c.ID, session.ID) // and commit
		}
		if changed {
			return tx.SaveRefresh(ctx, session)
		}
		return nil
	})
	switch {
	case errs.KindOf(err) == errs.NotFound || err == nil && reused:
		return Tokens{}, ErrRefresh
	case err != nil:
		return Tokens{}, err
	}
	return s.tokens(ctx, user, session, answer)
}

// SessionKey returns what stands for a refresh token when its uses are counted
// (CONTRACT 1): its session, however often the token was rotated, and for a token
// that does not verify, which anybody can make up, its hash.
func (s *Service) SessionKey(ctx context.Context, raw string) (key string, verified bool, err error) {
	claims, err := s.parse(ctx, raw, token.Refresh, ErrRefresh)
	switch {
	case err == nil:
		return claims.SessionID, true, nil
	case errs.KindOf(err) == errs.Unauthenticated:
		sum := sha256.Sum256([]byte(raw))
		return hex.EncodeToString(sum[:]), false, nil
	}
	return "", false, err
}

// Logout ends the session of an access token. A token that is not valid has no
// session left to end: that is not an error.
func (s *Service) Logout(ctx context.Context, raw string) error {
	claims, err := s.parse(ctx, raw, token.Access, ErrToken)
	if err != nil {
		return ignore(err, errs.Unauthenticated)
	}
	return ignore(s.Store.DeleteSession(ctx, claims.UserID, claims.SessionID), errs.NotFound)
}

// ignore returns nil for an error of the given kind.
func ignore(err error, kind errs.Kind) error {
	if errs.KindOf(err) == kind {
		return nil
	}
	return err
}

// maxSessions is how many sessions Sessions lists.
const maxSessions = 100

// Sessions returns the user's live sessions, the most recently used first, and
// no more than a hundred.
func (s *Service) Sessions(ctx context.Context, userID string) ([]Session, error) {
	return s.Store.ListSessions(ctx, userID, s.Now(), maxSessions)
}

// EndSession ends one of the user's sessions. It returns ErrNoSession when there
// is none with that id, or when it is somebody else's.
func (s *Service) EndSession(ctx context.Context, userID, id string) error {
	err := s.Store.DeleteSession(ctx, userID, id)
	if errs.KindOf(err) == errs.NotFound {
		return ErrNoSession
	}
	return err
}
