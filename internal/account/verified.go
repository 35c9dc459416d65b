package account

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"

	"stoa/internal/account/token"
	"stoa/internal/base/cache"
	"stoa/internal/trust/keyring"
)

// maxVerified is how many verified tokens are remembered. Each takes about half a
// KiB.
const maxVerified = 16_384

// verifiedTokens remembers tokens whose signature was verified, because verifying
// costs more than all the rest of a request. It remembers nothing about sessions
// and users: see package live.
//
// Tokens are kept as their SHA-256 hash. Somebody who reads the memory finds no
// token in it, and two tokens that differ anywhere, in the signature too, are two
// entries. Only valid tokens are remembered: forged ones evict nothing.
type verifiedTokens = cache.Cache[[sha256.Size]byte, verified]

func newVerifiedTokens() *verifiedTokens { return cache.New[[sha256.Size]byte, verified](maxVerified) }

// verified is what a token says, and which key signed it.
type verified struct {
	kind   token.Kind
	key    string
	claims token.Claims
}

// parse verifies a token. It returns the error refused for one that is not valid.
func (s *Service) parse(ctx context.Context, raw string, kind token.Kind, refused error) (token.Claims, error) {
	claims, err := s.verified(ctx, raw, kind)
	if errors.Is(err, token.ErrInvalid) {
		return token.Claims{}, refused
	}
	return claims, err
}

// verified returns what a valid token of that kind says, or token.ErrInvalid. The
// result of a verification holds for as long as the key belongs to the platform;
// the token's times are checked on every call.
func (s *Service) verified(ctx context.Context, raw string, kind token.Kind) (token.Claims, error) {
	if len(raw) > token.MaxLen {
		return token.Claims{}, token.ErrInvalid
	}
	sum := sha256.Sum256([]byte(raw))
	if e, ok := s.seen.Get(sum); ok {
		if e.kind != kind {
			return token.Claims{}, token.ErrInvalid
		}
		if _, err := s.key(ctx, kind, e.key); err != nil {
			s.seen.Remove(sum)
			return token.Claims{}, err
		}
		if !e.claims.ValidAt(s.Now()) {
			s.seen.Remove(sum)
			return token.Claims{}, token.ErrInvalid
		}
		return e.claims, nil
	}
	e := verified{kind: kind}
	own := func(kid string) (keyring.Key, error) { return s.key(ctx, kind, kid) }
	var ours bool
	if e.claims, e.key, ours = token.Own(raw, kind, s.Now(), own); ours {
		s.seen.Put(sum, e)
		return e.claims, nil
	}
	find := s.findKey(ctx, kind)
	var err error
	e.claims, err = token.Parse(raw, kind, s.Now(), func(kid string) (ed25519.PublicKey, error) {
		e.key = kid
		return find(kid)
	})
	if err != nil {
		return token.Claims{}, err
	}
	s.seen.Put(sum, e)
	return e.claims, nil
}
