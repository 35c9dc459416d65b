package account

import (
	"context"

	"stoa/internal/account/token"
	"stoa/internal/errs"
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
	return ignore(s.Store.DeleteSession(ctx, claims.UserID, claims.SessionID), errs.NotFound)
}

// maxSessions is how many sessions Sessions lists.
const maxSessions = 100

// Sessions returns the user's live sessions, the most recently used first, at most
// maxSessions.
func (s *Service) Sessions(ctx context.Context, userID string) ([]Session, error) {
	return s.Store.ListSessions(ctx, userID, s.Now(), maxSessions)
}

// EndSession ends one of the user's sessions. It returns ErrNoSession for an id that
// is unknown or of another user's session.
func (s *Service) EndSession(ctx context.Context, userID, id string) error {
	err := s.Store.DeleteSession(ctx, userID, id)
	if errs.KindOf(err) == errs.NotFound {
		return ErrNoSession
	}
	return err
}
