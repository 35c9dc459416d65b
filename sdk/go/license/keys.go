package license

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
)

// Keys is a set of public license keys. The zero value is empty and verifies
// nothing.
type Keys struct {
	byID map[string]ed25519.PublicKey
}

// maxKeys is the longest input that is parsed, in bytes.
const maxKeys = 1 << 20

// ParseJWKS reads the answer of GET /api/marketplace/license-keys. It skips keys
// that are not Ed25519. It returns an error when no key is left, or when a kid is
// not the key's RFC 7638 thumbprint.
func ParseJWKS(data []byte) (Keys, error) {
	var set struct {
		Keys []struct {
			Type  string `json:"kty"`
			Curve string `json:"crv"`
			ID    string `json:"kid"`
			X     string `json:"x"`
		} `json:"keys"`
	}
	if len(data) > maxKeys {
		return Keys{}, errors.New("license: the key set is too long")
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return Keys{}, fmt.Errorf("license: the key set is not JSON: %w", err)
	}
	keys := Keys{byID: make(map[string]ed25519.PublicKey)}
	for _, k := range set.Keys {
		if k.Type != "OKP" || k.Curve != "Ed25519" {
			continue
		}
		x, err := base64.RawURLEncoding.Strict().DecodeString(k.X)
		if err != nil || len(x) != ed25519.PublicKeySize {
			return Keys{}, fmt.Errorf("license: key %q is not an Ed25519 key", k.ID)
		}
		if id := keys.add(x); id != k.ID {
			return Keys{}, fmt.Errorf("license: the kid %q is not the thumbprint of its key", k.ID)
		}
	}
	return keys, keys.check()
}

// ParsePEM reads one or more PUBLIC KEY blocks, each with an Ed25519 key.
func ParsePEM(data []byte) (Keys, error) {
	if len(data) > maxKeys {
		return Keys{}, errors.New("license: the PEM is too long")
	}
	keys := Keys{byID: make(map[string]ed25519.PublicKey)}
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "PUBLIC KEY" {
			return Keys{}, fmt.Errorf("license: the PEM holds a %s, not a PUBLIC KEY", block.Type)
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return Keys{}, fmt.Errorf("license: %w", err)
		}
		k, ok := parsed.(ed25519.PublicKey)
		if !ok {
			return Keys{}, errors.New("license: the PEM holds a key that is not Ed25519")
		}
		keys.add(k)
	}
	return keys, keys.check()
}

func (k Keys) check() error {
	if len(k.byID) == 0 {
		return errors.New("license: no Ed25519 key found")
	}
	return nil
}

// add adds a key and returns its id, the RFC 7638 thumbprint.
func (k Keys) add(x []byte) string {
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + base64.RawURLEncoding.EncodeToString(x) + `"}`))
	id := base64.RawURLEncoding.EncodeToString(sum[:])
	k.byID[id] = ed25519.PublicKey(x)
	return id
}

// verify reports whether the key with this id made the signature. known is false
// when the set has no such key.
func (k Keys) verify(id string, message, signature []byte) (ok, known bool) {
	key, known := k.byID[id]
	return known && ed25519.Verify(key, message, signature), known
}
