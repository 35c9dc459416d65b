package account

import (
	"context"
	"time"

	"stoa/internal/account/token"
)

// IssuePluginToken returns a token with which a plugin may call the platform API
// on behalf of one of its installations, and when it expires (contract 7.1).
func (s *Service) IssuePluginToken(
	ctx context.Context, installationID string,
) (raw string, expires time.Time, err error) {
	key, err := s.PluginRing.Signer(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	now := s.Now().Truncate(time.Second)
	expires = now.Add(PluginLife)
	raw, err = token.Sign(key, token.Plugin, token.Claims{
		Subject: installationID, ID: newTokenID(), IssuedAt: now, ExpiresAt: expires,
	})
	return raw, expires, err
}

// PluginTokenKey returns the id of the key that signs plugin tokens now.
func (s *Service) PluginTokenKey(ctx context.Context) (string, error) {
	key, err := s.PluginRing.Signer(ctx)
	return key.ID, err
}

// VerifyPluginToken returns the installation that a plugin token was issued for, or
// ErrPluginToken. It does not check whether the installation still exists.
func (s *Service) VerifyPluginToken(ctx context.Context, raw string) (installationID string, err error) {
	claims, err := s.parse(ctx, raw, token.Plugin, ErrPluginToken)
	return claims.Subject, err
}
