package account

import (
	"context"
	"crypto/ed25519"
	"errors"
	"time"

	"stoa/internal/account/token"
	"stoa/internal/trust/keyring"
)

// KeyPurpose is the schedule of the keys that sign users' tokens.
var KeyPurpose = keyring.Purpose{
	Name: "account",

	// Verifiers cache the JWKS for five minutes (httpapi), other replicas their Ring
	// for one; the rest is for clocks and for caches in between.
	Lead: 15 * time.Minute,

	// The longest-lived token is a refresh token; the hour is for replicas that notice
	// late and for clocks that differ. A refresh token in its grace period is signed
	// again with the key that signed it first.
	Retention: RefreshLife + time.Hour,
}

// PluginKeyPurpose is the schedule of the keys that sign plugin tokens (contract 7.1). They
// sign nothing else, so that no plugin token can pass for a user's, and no other way round.
var PluginKeyPurpose = keyring.Purpose{
	Name: "plugin",

	// Only stoa verifies them: the replicas, which look for new keys every minute.
	Lead: 15 * time.Minute,

	// The hour is as for KeyPurpose.
	Retention: PluginLife + time.Hour,
}

// ring returns the keys that sign tokens of a kind.
func (s *Service) ring(kind token.Kind) *keyring.Ring {
	if kind == token.Plugin {
		return s.PluginRing
	}
	return s.Ring
}

// key returns the key for tokens of a kind with that id, or token.ErrInvalid.
func (s *Service) key(ctx context.Context, kind token.Kind, id string) (keyring.Key, error) {
	k, err := s.ring(kind).Key(ctx, id)
	if errors.Is(err, keyring.ErrUnknown) {
		return keyring.Key{}, token.ErrInvalid
	}
	return k, err
}

// findKey returns the look-up of keys for token.Parse of a kind.
func (s *Service) findKey(ctx context.Context, kind token.Kind) func(string) (ed25519.PublicKey, error) {
	return func(kid string) (ed25519.PublicKey, error) {
		k, err := s.key(ctx, kind, kid)
		if err != nil {
			return nil, err
		}
		return k.Public(), nil
	}
}
