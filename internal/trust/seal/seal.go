// Package seal encrypts small secrets for the database: signing keys, plugin
// configuration, and the license keys that owners can see again. One master key protects
// them all. Each purpose has its own key derived from it, so that a value moved to
// another column cannot be opened. While package rewrap replaces the master key, a
// process knows two: one of them seals, both open.
//
// It does not know what it seals. Package masterkey loads the master key.
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

// prefix identifies the format, in case there is another one later.
const prefix = "s1."

// ErrOpen is returned for a value that was not sealed with this key for this purpose and
// row. It deliberately says no more.
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

// ID returns a short name of the key, for people and for comparing keys. It reveals
// nothing about the key.
func (k *Key) ID() string { return hex.EncodeToString(k.Derive("master-key.id")[:6]) }

// Reveal returns the key in the form ParseKey reads. It must stay secret.
func (k *Key) Reveal() string { return hex.EncodeToString(k.master[:]) }

// String returns the name of the key, so that a log or an error never shows the key.
func (k *Key) String() string { return "master key " + k.ID() }

// GoString is String.
func (k *Key) GoString() string { return k.String() }

// Box returns the Box of a purpose, such as "plugin.config".
func (k *Key) Box(purpose string) *Box { return NewKeys(k).Box(purpose) }

// Derive returns a key of 32 bytes for a purpose, such as keyed hashes.
func (k *Key) Derive(purpose string) []byte {
	b, err := hkdf.Key(sha256.New, k.master[:], nil, "stoa/"+purpose, KeySize)
	if err != nil {
		panic(err) // happens only for absurd lengths
	}
	return b
}

// Box seals values for one purpose. It is safe for concurrent use.
type Box struct {
	ciphers *Derived[cipher.AEAD]
}

func newCipher(secret []byte) cipher.AEAD {
	block, err := aes.NewCipher(secret)
	if err != nil {
		panic(err) // the key has the right length by construction
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return aead
}

// Seal encrypts plain for the row with that id. Sealing the same value again gives
// another text.
func (b *Box) Seal(plain []byte, id string) string {
	sealed := b.ciphers.Sealing().Seal(nil, nil, plain, []byte(id)) //nolint:gosec // nil: the AEAD draws the nonce itself
	return prefix + base64.RawStdEncoding.EncodeToString(sealed)
}

// Open reverses Seal. It returns ErrOpen if the text was sealed with a master key that
// Keys does not know, or for another purpose or row.
func (b *Box) Open(sealed, id string) ([]byte, error) {
	text, ok := strings.CutPrefix(sealed, prefix)
	if !ok {
		return nil, ErrOpen
	}
	raw, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, ErrOpen
	}
	for _, aead := range b.ciphers.All() {
		if plain, err := aead.Open(nil, nil, raw, []byte(id)); err == nil {
			return plain, nil
		}
	}
	return nil, ErrOpen
}
