package keyring

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
)

// Key is a signing key. Private must stay secret.
type Key struct {
	ID      string // kid
	Private ed25519.PrivateKey
}

// GenerateKey returns a new key.
func GenerateKey() Key {
	var seed [ed25519.SeedSize]byte
	_, _ = rand.Read(seed[:]) // never fails (crypto/rand)
	return newKey(seed[:])
}

// KeyFromSeed reverses Key.Seed.
func KeyFromSeed(seed []byte) (Key, error) {
	if len(seed) != ed25519.SeedSize {
		return Key{}, errors.New("keyring: a key's seed has 32 bytes")
	}
	return newKey(seed), nil
}

func newKey(seed []byte) Key {
	k := Key{Private: ed25519.NewKeyFromSeed(seed)}
	k.ID = thumbprint(k.Public())
	return k
}

// Seed returns the secret from which KeyFromSeed restores the key.
func (k Key) Seed() []byte { return k.Private.Seed() }

// Public returns the public key of k.
func (k Key) Public() ed25519.PublicKey {
	return k.Private.Public().(ed25519.PublicKey)
}

// JWK is a public key as a JSON Web Key (RFC 8037).
type JWK struct {
	KeyType   string `json:"kty"`
	Curve     string `json:"crv"`
	ID        string `json:"kid"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
	X         string `json:"x"`
}

// PublicJWK returns the JWK of a public key.
func PublicJWK(key ed25519.PublicKey) JWK {
	return JWK{
		KeyType: "OKP", Curve: "Ed25519", ID: thumbprint(key), Use: "sig", Algorithm: "EdDSA",
		X: base64.RawURLEncoding.EncodeToString(key),
	}
}

// thumbprint returns the key's RFC 7638 thumbprint. As an id it cannot belong to another
// key.
func thumbprint(key ed25519.PublicKey) string {
	x := base64.RawURLEncoding.EncodeToString(key)
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
