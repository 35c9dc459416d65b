package license

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"log/slog"
	"sync"
)

// Key is the secret that gives its holder the use of a license: STOA- and six groups of five
// characters in Crockford's base 32. The first 25 characters are random (125 bits), the last five
// are a checksum.
//
// The checksum lets one typo in 33 million (2^25) pass, so that mistyped keys are refused without a
// look at the database. It is no protection against guessing; the random bits are.
//
// A key never appears in logs: it formats as "STOA-*****", and only Reveal returns its text.
type Key struct {
	symbols [keySymbols]byte // values of 0 to 31
}

const (
	keyData    = 25 // random characters
	keyCheck   = 5
	keySymbols = keyData + keyCheck
	keyGroup   = 5
	keyPrefix  = "STOA"

	alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford: no I, L, O, U

	// maxKeyInput is the longest text looked at: people type spaces and dashes.
	maxKeyInput = 128
)

// ErrBadKey says that a text is not a licence key: the checksum is wrong, or
// something else. It holds nothing of the text.
var ErrBadKey = errors.New("market: not a licence key")

// NewKey returns a new key.
func NewKey() Key {
	var k Key
	_, _ = rand.Read(k.symbols[:keyData]) // never fails (crypto/rand)
	for i := range keyData {
		k.symbols[i] &= 31
	}
	check := checksum(k.symbols[:keyData])
	copy(k.symbols[keyData:], check[:])
	return k
}

// ParseKey reads a key as people write it: upper or lower case, with or
// without dashes and spaces, I or L for 1, O for 0. It returns ErrBadKey for
// anything else, a key with a typo above all.
func ParseKey(s string) (Key, error) {
	if len(s) > maxKeyInput {
		return Key{}, ErrBadKey
	}
	values := make([]byte, 0, len(keyPrefix)+keySymbols)
	for i := range len(s) {
		c := s[i]
		if c == '-' || c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			continue
		}
		v, ok := symbolValue(c)
		if !ok || len(values) == len(keyPrefix)+keySymbols {
			return Key{}, ErrBadKey
		}
		values = append(values, v)
	}
	if len(values) != len(keyPrefix)+keySymbols {
		return Key{}, ErrBadKey
	}
	for i := range len(keyPrefix) {
		if v, _ := symbolValue(keyPrefix[i]); v != values[i] {
			return Key{}, ErrBadKey
		}
	}
	k := Key{symbols: [keySymbols]byte(values[len(keyPrefix):])}
	if check := checksum(k.symbols[:keyData]); string(check[:]) != string(k.symbols[keyData:]) {
		return Key{}, ErrBadKey
	}
	return k, nil
}

// symbolValue returns the value of a character, and false if it has none.
func symbolValue(c byte) (byte, bool) {
	v := symbolValues[c]
	return v, v != noSymbol
}

const noSymbol = 255

// symbolValues are the values of all characters: every verification reads a key.
var symbolValues = valuesOfSymbols()

func valuesOfSymbols() (values [256]byte) {
	for i := range values {
		values[i] = noSymbol
	}
	for v, c := range []byte(alphabet) {
		values[c], values[c|0x20] = byte(v), byte(v) // 0x20 makes a letter lower-case; digits have it
	}
	for alias, c := range map[byte]byte{'I': '1', 'L': '1', 'O': '0'} {
		values[alias], values[alias|0x20] = values[c], values[c]
	}
	return values
}

// keyText is the length of a key's text.
const keyText = len(keyPrefix) + keySymbols + keySymbols/keyGroup

// Reveal returns the text of the key, for its owner only.
func (k Key) Reveal() string { return string(k.appendText(make([]byte, 0, keyText))) }

func (k Key) appendText(b []byte) []byte {
	b = append(b, keyPrefix...)
	for i, v := range k.symbols {
		if i%keyGroup == 0 {
			b = append(b, '-')
		}
		b = append(b, alphabet[v])
	}
	return b
}

// String, GoString and LogValue keep the key out of logs and error texts.
func (Key) String() string { return "STOA-*****" }

// GoString implements fmt.GoStringer.
func (k Key) GoString() string { return k.String() }

// LogValue implements slog.LogValuer.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// keyHasher computes what keys are looked up by. Without the secret, a copy of the
// database can not be searched for a known key. Hashers are used again: to begin
// an HMAC costs as much as to finish it, and every verification needs one.
type keyHasher struct{ idle sync.Pool }

func newKeyHasher(secret []byte) *keyHasher {
	return &keyHasher{idle: sync.Pool{New: func() any { return &keyMAC{mac: hmac.New(sha256.New, secret)} }}}
}

// keyMAC is an HMAC with room for what goes in and comes out.
type keyMAC struct {
	mac  hash.Hash
	text [keyText]byte
	sum  [sha256.Size]byte
}

func (h *keyHasher) hash(k Key) string {
	m := h.idle.Get().(*keyMAC) //nolint:forcetypeassert // nothing else is put there
	defer h.idle.Put(m)
	m.mac.Reset()
	m.mac.Write(k.appendText(m.text[:0]))
	return hex.EncodeToString(m.mac.Sum(m.sum[:0]))
}

// checksum returns the first 25 bits of the SHA-256 of "STOA" and the random characters as they are
// written. All keys of all shops depend on it: it never changes.
func checksum(data []byte) (check [keyCheck]byte) {
	var written [len(keyPrefix) + keyData]byte
	b := append(written[:0], keyPrefix...)
	for _, v := range data {
		b = append(b, alphabet[v])
	}
	sum := sha256.Sum256(b)
	bits := binary.BigEndian.Uint32(sum[:]) >> (32 - 5*keyCheck)
	for i := range check {
		check[keyCheck-1-i] = byte(bits & 31)
		bits >>= 5
	}
	return check
}
