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
