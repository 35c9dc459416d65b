package token

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"
)

// MaxServiceLife is the longest time between iat and exp of a service JWT
// (contract 2.9).
const MaxServiceLife = time.Hour

const (
	minServiceSecret = 32   // bytes
	minRSABits       = 2048 // shorter keys can be broken
	maxSubject       = 255  // bytes
)

// Service verifies the JWTs of other services (contract 2.9). A nil
// Service refuses everything: the feature is off.
type Service struct {
	issuer string
	alg    string // the only algorithm accepted
	key    any    // []byte for HS256, else a public key

	audience string // that aud must contain; empty if any will do
}

// RequireAudience has the Service refuse tokens whose aud does not contain audience,
// unless that is empty. It returns an error if the feature is off.
func (s *Service) RequireAudience(audience string) error {
	if audience == "" {
		return nil
	}
	if s == nil {
		return errors.New("SERVICE_JWT_AUDIENCE needs SERVICE_JWT_ISSUER, the iss of the tokens")
	}
	s.audience = audience
	return nil
}

// NewService returns the verifier for an issuer whose tokens are either HS256 under
// secret (its bytes as given, at least 32) or signed with the key whose public half
// is publicPEM: Ed25519, ECDSA on P-256, or RSA of 2,048 bits or more. If all
// settings are empty it returns nil; if only some are, an error.
func NewService(issuer, secret, publicPEM string) (*Service, error) {
	switch {
	case issuer == "" && secret == "" && publicPEM == "":
		return nil, nil //nolint:nilnil // a nil Service is the one that is off
	case issuer == "":
		return nil, errors.New("SERVICE_JWT_SECRET and SERVICE_JWT_PUBLIC_KEY need SERVICE_JWT_ISSUER, " +
			"the iss of the tokens")
	case secret != "" && publicPEM != "":
		return nil, errors.New("set SERVICE_JWT_SECRET or SERVICE_JWT_PUBLIC_KEY, not both: " +
			"exactly one algorithm is accepted")
	case secret == "" && publicPEM == "":
		return nil, errors.New("SERVICE_JWT_ISSUER needs SERVICE_JWT_SECRET or SERVICE_JWT_PUBLIC_KEY " +
			"to verify its tokens with")
	case secret != "":
		if len(secret) < minServiceSecret {
			return nil, errors.New("SERVICE_JWT_SECRET must have 32 bytes or more, as made by: openssl rand -hex 32")
		}
		return &Service{issuer: issuer, alg: jwt.SigningMethodHS256.Alg(), key: []byte(secret)}, nil
	}
	alg, key, err := parsePublic(publicPEM)
	if err != nil {
		return nil, err
	}
	return &Service{issuer: issuer, alg: alg, key: key}, nil
}

func parsePublic(text string) (alg string, key any, err error) {
	unusable := errors.New("SERVICE_JWT_PUBLIC_KEY must be a PEM block PUBLIC KEY " +
		"with an Ed25519, ECDSA P-256 or RSA (2048 bits or more) key")
	// Environment files often cannot hold line breaks and spell them \n.
	block, _ := pem.Decode([]byte(strings.ReplaceAll(text, `\n`, "\n")))
	if block == nil || block.Type != "PUBLIC KEY" {
		return "", nil, unusable
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return "", nil, unusable
	}
	switch k := parsed.(type) {
	case ed25519.PublicKey:
		return jwt.SigningMethodEdDSA.Alg(), k, nil
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return jwt.SigningMethodES256.Alg(), k, nil
		}
	case *rsa.PublicKey:
		if k.N.BitLen() >= minRSABits {
			return jwt.SigningMethodRS256.Alg(), k, nil
		}
	}
	return "", nil, unusable
}

// IsKey reports whether service JWTs are verified with key. It must not be one of the
// platform's own keys, or the platform's tokens could pass for a service's.
func (s *Service) IsKey(key ed25519.PublicKey) bool {
	if s == nil {
		return false
	}
	own, ok := s.key.(ed25519.PublicKey)
	return ok && own.Equal(key)
}

// Verify returns the subject of a service JWT, or ErrInvalid. A subject has 1 to
// 255 bytes of UTF-8 without control characters.
//
// The key tells a service's token from the platform's, not the typ: authorization
// servers that follow RFC 9068 write at+jwt, as the platform does. Kinds that only the
// platform uses are refused nevertheless.
func (s *Service) Verify(raw string, now time.Time) (subject string, err error) {
	if s == nil || len(raw) > MaxLen {
		return "", ErrInvalid
	}
	// Not a struct, which would take "ISS" for "iss": a service may let its users name
	// claims.
	c := jwt.MapClaims{}
	_, err = parser(now, s.alg).ParseWithClaims(raw, &c, func(t *jwt.Token) (any, error) {
		if typ, _ := t.Header["typ"].(string); isPlatformOnly(typ) || !onlyKnown(t.Header) {
			return nil, ErrInvalid
		}
		return s.key, nil
	})
	if err != nil || !unambiguous(raw) {
		return "", ErrInvalid
	}
	issuer, err1 := c.GetIssuer()
	subject, err2 := c.GetSubject()
	issued, err3 := c.GetIssuedAt()
	expires, err4 := c.GetExpirationTime()
	if errors.Join(err1, err2, err3, err4) != nil || issuer != s.issuer || !usable(subject) || issued == nil {
		return "", ErrInvalid
	}
	if s.audience != "" {
		if list, err := c.GetAudience(); err != nil || !slices.Contains(list, s.audience) {
			return "", ErrInvalid
		}
	}
	if life := expires.Sub(issued.Time); life <= 0 || life > MaxServiceLife {
		return "", ErrInvalid
	}
	return subject, nil
}

// usable reports whether a subject can be stored and logged: PostgreSQL does not take
// NUL, and a log line must not break. The replacement character is what JSON decoding
// makes of invalid UTF-8, so different subjects would look the same.
func usable(subject string) bool {
	return subject != "" && len(subject) <= maxSubject && utf8.ValidString(subject) &&
		!strings.ContainsRune(subject, utf8.RuneError) && !strings.ContainsFunc(subject, unicode.IsControl)
}

func isPlatformOnly(typ string) bool {
	kind := Kind(strings.ToLower(typ))
	return kind == Refresh || kind == Plugin || kind == typeActed
}
