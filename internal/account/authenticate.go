package account

import (
	"context"
	"errors"

	"stoa/internal/account/token"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
)

// Authenticate returns the caller behind a bearer token: an active user with a live
// session, or a service. For anything else it returns ErrToken. Role and state come
// from the database, not from the token.
func (s *Service) Authenticate(ctx context.Context, raw string) (reqctx.Caller, error) {
	u, session, err := s.signedIn(ctx, raw)
	switch {
	case err == nil:
		return reqctx.Caller{UserID: u.ID, Role: u.Role, SessionID: session}, nil
	case !errors.Is(err, ErrToken):
		return reqctx.Caller{}, err
	}
	subject, err := s.Services.Verify(raw, s.Now())
	if err != nil {
		return reqctx.Caller{}, ErrToken
	}
	return reqctx.Caller{Service: subject, Role: reqctx.RoleAdmin}, nil
}

// Me returns the user behind an access token, or ErrToken if Authenticate would. It
// asks the database once.
func (s *Service) Me(ctx context.Context, raw string) (User, error) {
	u, _, err := s.signedIn(ctx, raw)
	return u, err
}

// signedIn returns the user behind an access token, read from the database, and the
// session's id; or ErrToken.
func (s *Service) signedIn(ctx context.Context, raw string) (u User, session string, err error) {
	claims, err := s.parse(ctx, raw, token.Access, ErrToken)
	if err != nil {
		return User{}, "", err
	}
	alive, err := s.Store.Alive(ctx, claims.SessionID)
	if errs.KindOf(err) == errs.NotFound {
		return User{}, "", ErrToken
	} else if err != nil {
		return User{}, "", err
	}
	if !alive.User.Active || alive.User.ID != claims.UserID || !s.Now().Before(alive.ExpiresAt) {
		return User{}, "", ErrToken
	}
	return alive.User, claims.SessionID, nil
}
