package account

import (
	"context"
	"crypto/ed25519"
	"errors"
	"time"

	"stoa/internal/account/token"
	"stoa/internal/keyring"
)

// KeyPurpose is the schedule of the keys that sign tokens.
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

// key returns the key with that id, or token.ErrInvalid.
func (s *Service) key(ctx context.Context, id string) (keyring.Key, error) {
	k, err := s.Ring.Key(ctx, id)
	if errors.Is(err, keyring.ErrUnknown) {
		return keyring.Key{}, token.ErrInvalid
	}
	return k, err
}

// findKey returns the look-up of keys for token.Parse.
func (s *Service) findKey(ctx context.Context) func(string) (ed25519.PublicKey, error) {
	return func(kid string) (ed25519.PublicKey, error) {
		k, err := s.key(ctx, kid)
		if err != nil {
			return nil, err
		}
		return k.Public(), nil
	}
}
