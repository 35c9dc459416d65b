package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"stoa/internal/account/token"
	"stoa/internal/base/errs"
)

// RefreshRequest asks for a new token set.
type RefreshRequest struct {
	RefreshToken string `json:"refresh_token"`
}

// Issues returns what is wrong with r.
func (r RefreshRequest) Issues() errs.Issues {
	var f faults
	f.Require("refresh_token", r.RefreshToken)
	return f.Issues
}

// Refresh exchanges a refresh token for a new token set. For RefreshGrace the old
// token still returns the same successor, because two tabs may refresh at once and an
// answer may be lost. Used later it ends the session, because somebody else holds a
// copy.
//
// It returns ErrRefresh for every token that cannot be exchanged, and
// ErrManyRefreshes.
func (s *Service) Refresh(ctx context.Context, raw string) (Tokens, error) {
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
		session.EndsAt = s.sessionEnd(c.Role, session.AuthenticatedAt)
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
			session.LastAddress, _ = from(ctx)
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

// SessionKey returns the key under which the uses of a refresh token are counted
// (contract 1.7): the id of its session, which outlives rotations. For a token that
// does not verify, and which anybody may have made up, it is the token's hash.
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
