package account

import (
	"context"
	"strings"
	"time"

	"stoa/internal/account/token"
)

// PluginToken is what a plugin's token is good for (contract 7.1).
type PluginToken struct {
	InstallationID string

	// Enabling is the installation's enabling that the token dies with. 0 for a hook's token, which
	// outlives it, and for one of release 0.1.0, which did not name it.
	Enabling int64

	// OnChannel is true for a token that works on the installation's own channel alone. Every other
	// one works on the public listener alone.
	OnChannel bool

	// UserID is the user as whom Actor, somebody of the staff, made the call that the token is for. Both are empty
	// where users call themselves.
	UserID, Actor string

	// Hook is the delivery of a hook that the token was made for, Permissions are what the
	// installation may do with it, and Life is how long it works. Hook is empty for a token of calls,
	// which works for PluginLife with the permissions that the installation has at the call.
	Hook        string
	Permissions []string
	Life        time.Duration
}

// IssuePluginToken returns a token with which a plugin may call the platform API
// on behalf of one of its installations, and when it expires (contract 7.1).
func (s *Service) IssuePluginToken(
	ctx context.Context, t PluginToken,
) (raw string, expires time.Time, err error) {
	key, err := s.PluginRing.Signer(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	now := s.Now()
	claims := token.Claims{
		Subject: t.InstallationID, ID: newTokenID(), IssuedAt: now.Truncate(time.Second), Enabling: t.Enabling,
		For: t.UserID, Actor: t.Actor,
	}
	claims.ExpiresAt = claims.IssuedAt.Add(PluginLife)
	if t.Actor != "" { // it is for one call, and must not go on under both names after the impersonation
		claims.ExpiresAt = claims.IssuedAt.Add(ActedLife)
	}
	if t.Hook != "" {
		claims.Hook, claims.Scope, claims.Enabling = t.Hook, strings.Join(t.Permissions, " "), 0
		claims.ExpiresAt = now.Add(t.Life + time.Second - 1).Truncate(time.Second) // not before it ends
	}
	if t.OnChannel {
		claims.Via = token.ViaChannel
	}
	raw, err = token.Sign(key, token.Plugin, claims)
	return raw, claims.ExpiresAt, err
}

// PluginTokenKey returns the id of the key that signs plugin tokens now.
func (s *Service) PluginTokenKey(ctx context.Context) (string, error) {
	key, err := s.PluginRing.Signer(ctx)
	return key.ID, err
}

// VerifyPluginToken returns what a plugin token was issued for, without its Life, or ErrPluginToken.
// It does not check whether the installation still exists.
func (s *Service) VerifyPluginToken(ctx context.Context, raw string) (PluginToken, error) {
	claims, err := s.parse(ctx, raw, token.Plugin, ErrPluginToken)
	if err != nil {
		return PluginToken{}, err
	}
	return PluginToken{
		InstallationID: claims.Subject, Enabling: claims.Enabling, OnChannel: claims.Via == token.ViaChannel,
		UserID: claims.For, Actor: claims.Actor,
		Hook: claims.Hook, Permissions: strings.Fields(claims.Scope),
	}, nil
}
