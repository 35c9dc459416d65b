package account

import (
	"context"
	"errors"
	"time"

	"stoa/internal/account/token"
	"stoa/internal/base/ids"
)

// Tokens is a token set (contract 2.4).
type Tokens struct {
	User    User
	Access  string
	Life    time.Duration // of Access, in whole seconds
	Refresh string
}

// tokens returns a token set for a session: a new access token and the session's
// refresh token r.
func (s *Service) tokens(ctx context.Context, u User, session Session, r Refresh) (Tokens, error) {
	signer, err := s.Ring.Signer(ctx)
	if err != nil {
		return Tokens{}, err
	}
	now := s.Now().Truncate(time.Second)
	end := session.notAfter(now.Add(AccessLife))
	access, err := token.Sign(signer, token.Access, accessClaims(u, session, now, end))
	if err != nil {
		return Tokens{}, err
	}
	// With the key that was current when r was issued, so that r comes out the same.
	key, err := s.key(ctx, token.Refresh, r.KeyID)
	if errors.Is(err, token.ErrInvalid) {
		return Tokens{}, ErrRefresh // the key was withdrawn, and r with it
	} else if err != nil {
		return Tokens{}, err
	}
	refresh, err := token.Sign(key, token.Refresh, session.claims(r))
	return Tokens{User: u, Access: access, Life: end.Sub(now), Refresh: refresh}, err
}

// newTokenID returns a jti: unique and without meaning.
func newTokenID() string { return ids.New() }
