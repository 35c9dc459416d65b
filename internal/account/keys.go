package account

import (
	"context"
	"crypto/ed25519"
	"errors"
	"time"

	"stoa/internal/account/token"
	"stoa/internal/keyring"
)

// KeyPurpose is how the keys that sign tokens take turns.
var KeyPurpose = keyring.Purpose{
	Name: "account",

	// Verifiers keep a JWKS for five minutes (httpapi) and other replicas their
	// Ring for one; the rest is for clocks and caches on the way.
	Lead: 15 * time.Minute,

	// The longest-lived token is a refresh token; the hour is for replicas that
	// notice late and clocks that differ. A refresh token in its grace is made again
	// with the key that signed it, which is the same or a younger one.
	Retention: RefreshLife + time.Hour,
}

// key returns the key with that id, or token.ErrInvalid when there is none.
func (s *Service) key(ctx context.Context, id string) (keyring.Key, error) {
	k, err := s.Ring.Key(ctx, id)
	if errors.Is(err, keyring.ErrUnknown) {
		return keyring.Key{}, token.ErrInvalid
	}
	return k, err
}

// findKey returns how token.Parse looks for keys.
func (s *Service) findKey(ctx context.Context) func(string) (ed25519.PublicKey, error) {
	return func(kid string) (ed25519.PublicKey, error) {
		k, err := s.key(ctx, kid)
		if err != nil {
			return nil, err
		}
		return k.Public(), nil
	}
}
