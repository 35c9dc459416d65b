package license

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"log/slog"
)

// Key is the secret with which its holder uses a license: STOA- and six groups of five characters in
// Crockford's base 32. The first 25 characters are random (125 bits), the last five are a checksum.
//
// The checksum catches mistyped keys without a database query; one typo in 17 million (2^24) passes,
// because the keys of the first releases have another checksum.
// It does not protect against guessing; the random bits do.
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

	// maxKeyInput is the longest text that ParseKey reads: people type spaces and dashes.
	maxKeyInput = 128
)

// ErrBadKey means that a text is not a license key. It contains nothing of the text.
var ErrBadKey = errors.New("license: not a license key")

// None reports whether there is no key.
func (k Key) None() bool { return k == Key{} }

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

// ParseKey reads a key as people write it: in upper or lower case, with or without dashes and spaces,
// with I or L for 1 and O for 0. It returns ErrBadKey for anything else, including a key with a typo.
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
	if given := [keyCheck]byte(k.symbols[keyData:]); given != checksum(k.symbols[:keyData]) &&
		given != firstChecksum(k.symbols[:keyData]) {
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

// symbolValues maps every character to its value. It is a table because every verification parses a
// key.
var symbolValues = newSymbolValues()

func newSymbolValues() (values [256]byte) {
	for i := range values {
		values[i] = noSymbol
	}
	for v, c := range []byte(alphabet) {
		values[c], values[c|0x20] = byte(v), byte(v) // 0x20 lower-cases a letter; digits have the bit set
	}
	for alias, c := range map[byte]byte{'I': '1', 'L': '1', 'O': '0'} {
		values[alias], values[alias|0x20] = values[c], values[c]
	}
	return values
}

// keyText is the length of a key's text.
const keyText = len(keyPrefix) + keySymbols + keySymbols/keyGroup

// Reveal returns the text of the key. Show it to the license's owner only.
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

// String implements fmt.Stringer. Like GoString and LogValue, it keeps the key out of logs and errors.
func (Key) String() string { return "STOA-*****" }

// GoString implements fmt.GoStringer.
func (k Key) GoString() string { return k.String() }

// LogValue implements slog.LogValuer.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// checksum returns the first 25 bits of the SHA-256 of "STOA" followed by the random characters as
// text. It must never change: the keys that all shops have sold depend on it.
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
