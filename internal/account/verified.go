package account

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"sync"

	"stoa/internal/account/token"
)

// maxVerified is how many verified tokens are remembered. One takes about half a
// KiB.
const maxVerified = 16_384

// verifiedTokens remembers tokens whose signature was verified, because that
// costs more than all else about a request. It remembers nothing about sessions
// and users: whether those are alive is asked of the database on every request,
// so that a revocation needs not be told to anybody.
//
// Tokens are kept as their SHA-256 hash. Whoever reads the memory finds no token
// in it, and two tokens that differ anywhere, in the signature too, are two
// entries. Only tokens that are valid are remembered: made-up ones push out
// nobody.
//
// The zero value is ready for use. It is safe for concurrent use.
type verifiedTokens struct {
	mu sync.Mutex
	// young takes new entries. When it is full it becomes old, and old is
	// forgotten: what was used since then is in young again.
	young, old map[[sha256.Size]byte]verified
}

// verified is what a token said, and which key's signature said so.
type verified struct {
	kind   token.Kind
	key    string
	claims token.Claims
}

func (v *verifiedTokens) get(sum [sha256.Size]byte) (verified, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e, ok := v.young[sum]
	if ok {
		return e, true
	}
	if e, ok = v.old[sum]; ok {
		v.add(sum, e)
	}
	return e, ok
}

func (v *verifiedTokens) put(sum [sha256.Size]byte, e verified) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.add(sum, e)
}

// add inserts an entry. The caller holds the lock.
func (v *verifiedTokens) add(sum [sha256.Size]byte, e verified) {
	if v.young == nil || len(v.young) >= maxVerified/2 {
		v.old, v.young = v.young, make(map[[sha256.Size]byte]verified)
	}
	v.young[sum] = e
}

func (v *verifiedTokens) remove(sum [sha256.Size]byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.young, sum)
	delete(v.old, sum)
}

// len returns how many entries there are, twice counted ones included.
func (v *verifiedTokens) len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.young) + len(v.old)
}

// parse verifies a token. One that is refused is the error refused.
func (s *Service) parse(ctx context.Context, raw string, kind token.Kind, refused error) (token.Claims, error) {
	claims, err := s.verified(ctx, raw, kind)
	if errors.Is(err, token.ErrInvalid) {
		return token.Claims{}, refused
	}
	return claims, err
}

// verified returns what a valid token of that kind says, or token.ErrInvalid. A
// token that was verified before is remembered for as long as its key is one of
// the platform's; its times are looked at again each time.
func (s *Service) verified(ctx context.Context, raw string, kind token.Kind) (token.Claims, error) {
	if len(raw) > token.MaxLen {
		return token.Claims{}, token.ErrInvalid
	}
	sum := sha256.Sum256([]byte(raw))
	if e, ok := s.seen.get(sum); ok {
		if e.kind != kind {
			return token.Claims{}, token.ErrInvalid
		}
		if _, err := s.key(ctx, e.key); err != nil {
			s.seen.remove(sum)
			return token.Claims{}, err
		}
		if !e.claims.ValidAt(s.Now()) {
			s.seen.remove(sum)
			return token.Claims{}, token.ErrInvalid
		}
		return e.claims, nil
	}
	e := verified{kind: kind}
	find := s.findKey(ctx)
	var err error
	e.claims, err = token.Parse(raw, kind, s.Now(), func(kid string) (ed25519.PublicKey, error) {
		e.key = kid
		return find(kid)
	})
	if err != nil {
		return token.Claims{}, err
	}
	s.seen.put(sum, e)
	return e.claims, nil
}
