// Package seal encrypts small secrets before they are stored: signing keys,
// plugin configuration, license keys for their owner's page. One master key
// protects them all; each purpose gets a key of its own, so that a value moved
// from one column to another does not open.
//
// It knows nothing about what it seals. The master key's whereabouts are the
// business of cmd/stoa.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// KeySize is the length of a master key in bytes.
const KeySize = 32

// prefix names the format, so that a later one can be told apart.
const prefix = "s1."

// ErrOpen is returned for a value that was not sealed with this key for this
// purpose and row. It says no more on purpose.
var ErrOpen = errors.New("seal: value cannot be opened with this master key")

// Key is a master key. Its methods are safe for concurrent use.
type Key struct {
	master [KeySize]byte
}

// ParseKey reads a master key of 64 hexadecimal digits.
func ParseKey(s string) (*Key, error) {
	b, err := hex.DecodeString(strings.TrimSpace(s))
	if err != nil || len(b) != KeySize {
		return nil, fmt.Errorf("seal: a master key is %d hexadecimal digits", 2*KeySize)
	}
	return &Key{master: [KeySize]byte(b)}, nil
}

// GenerateKey returns a new random master key in the form ParseKey reads.
func GenerateKey() string {
	var b [KeySize]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// Box seals values for one purpose. It is safe for concurrent use.
type Box struct {
	aead cipher.AEAD
}

// Box returns the box of a purpose, such as "plugin.config".
func (k *Key) Box(purpose string) *Box {
	block, err := aes.NewCipher(k.Derive(purpose))
	if err != nil {
		panic(err) // the key has the right length by construction
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return &Box{aead: aead}
}

// Derive returns 32 bytes that belong to a purpose, for keyed hashes.
func (k *Key) Derive(purpose string) []byte {
	b, err := hkdf.Key(sha256.New, k.master[:], nil, "stoa/"+purpose, KeySize)
	if err != nil {
		panic(err) // only for absurd lengths
	}
	return b
}

// Seal encrypts plain for the row named by id. The same value sealed twice gives
// different texts.
func (b *Box) Seal(plain []byte, id string) string {
	return prefix + base64.RawStdEncoding.EncodeToString(b.aead.Seal(nil, nil, plain, []byte(id))) //nolint:gosec // nil: this AEAD draws a random nonce itself
}

// Open reverses Seal. It returns ErrOpen if the text was sealed with another
// master key, for another purpose or for another row.
func (b *Box) Open(sealed, id string) ([]byte, error) {
	text, ok := strings.CutPrefix(sealed, prefix)
	if !ok {
		return nil, ErrOpen
	}
	raw, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, ErrOpen
	}
	plain, err := b.aead.Open(nil, nil, raw, []byte(id))
	if err != nil {
		return nil, ErrOpen
	}
	return plain, nil
}
