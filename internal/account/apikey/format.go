// Package apikey owns keys for programs: what they look like, what they may do, and how they are made, replaced and
// ended. A personal key stands for its user, a key of a service account for the shop. Of a key's secret only a hash is
// stored. Who may call which route with a key is decided where routes are listed.
package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"strings"
)

// Kind says whose a key is. It stands in the key.
type Kind byte

// The kinds of keys.
const (
	Personal Kind = 'p'
	Service  Kind = 's'
)

// A key is `stoa_pk_` or `stoa_sk_`, its id, `_`, its secret, and six characters that programs can tell a mistyped key
// by, without asking stoa.
const (
	prefixBytes = len("stoa_pk_")
	idBytes     = 12
	secretBytes = 43 // 256 bits
	sumBytes    = 6
	keyBytes    = prefixBytes + idBytes + len("_") + secretBytes + sumBytes
)

// Pattern is what keys match, for programs that look for secrets.
const Pattern = `stoa_[ps]k_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}`

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// NewID returns an id for a key.
func NewID() string { return random(idBytes) }

// random returns n digits, each as likely as the others.
func random(n int) string {
	out := make([]byte, 0, n)
	var some [64]byte
	for len(out) < n {
		_, _ = rand.Read(some[:]) // never fails
		for _, b := range some {
			if b < byte(256/len(digits)*len(digits)) && len(out) < n {
				out = append(out, digits[int(b)%len(digits)])
			}
		}
	}
	return string(out)
}

// newSecret returns a key with that id as its holder gets it. It is shown once.
func newSecret(kind Kind, id string) string {
	text := "stoa_" + string(rune(kind)) + "k_" + id + "_" + random(secretBytes)
	return text + sum(text)
}

// sum returns the CRC-32 (IEEE) of text in base 62.
func sum(text string) string {
	var out [sumBytes]byte
	n := crc32.ChecksumIEEE([]byte(text))
	for i := sumBytes - 1; i >= 0; i-- {
		out[i] = digits[n%62]
		n /= 62
	}
	return string(out[:])
}

// Marked reports whether a bearer token says of itself that it is a key, whether it is one or not.
func Marked(token string) bool {
	return strings.HasPrefix(token, "stoa_pk_") || strings.HasPrefix(token, "stoa_sk_")
}

// Parse returns the kind and the id of a key. ok is false for whatever no stoa can have made.
func Parse(token string) (kind Kind, id string, ok bool) {
	if len(token) != keyBytes || !Marked(token) || token[prefixBytes+idBytes] != '_' {
		return 0, "", false
	}
	id = token[prefixBytes : prefixBytes+idBytes]
	if !isDigits(id) || !isDigits(token[prefixBytes+idBytes+1:]) {
		return 0, "", false
	}
	body, check := token[:keyBytes-sumBytes], token[keyBytes-sumBytes:]
	return Kind(token[5]), id, sum(body) == check
}

func isDigits(s string) bool {
	for _, c := range []byte(s) {
		if c-'0' > 9 && c-'A' > 25 && c-'a' > 25 {
			return false
		}
	}
	return true
}

// IsID reports whether s has the form of a key's id.
func IsID(s string) bool { return len(s) == idBytes && isDigits(s) }

// hash is what is stored of a key. It has 256 bits of chance: a slow hash would add nothing.
func hash(token string) string {
	h := sha256.Sum256([]byte(token))
	return hex.EncodeToString(h[:])
}
