// Package cuid2 makes the ids of users, products, orders, licenses and packages
// (CONTRACT 1): 24 lower-case characters, the first a letter, that neither sort
// nor tell anything about when or where they were made.
package cuid2

import (
	"crypto/rand"
	"crypto/sha3"
	"encoding/binary"
	"math/big"
	"time"
)

// Length is the number of characters in an id.
const Length = 24

// New returns a new id of the form the CUID2 specification gives: a random
// letter, then the base-36 SHA3-512 of entropy and time. The reference mixes in
// a counter and a fingerprint of the host as well, for platforms whose random
// source is poor; 256 bits from the kernel need neither.
func New() string {
	var in [40]byte
	_, _ = rand.Read(in[:32]) // never fails (crypto/rand)
	binary.LittleEndian.PutUint64(in[32:], uint64(time.Now().UnixNano()))
	sum := sha3.Sum512(in[:])

	out := make([]byte, 0, Length)
	// The bias of 26 in 256 is one part in ten, in a character that carries no
	// uniqueness.
	out = append(out, 'a'+in[0]%26)
	// The first digits of the number are not evenly spread; skip one, as the
	// reference implementation does.
	digits := new(big.Int).SetBytes(sum[:]).Text(36)
	return string(append(out, digits[1:Length]...))
}

// Plausible reports whether an id of a row could be s: 1 to 32 lower-case letters and digits. What
// could not is unknown without asking the database.
func Plausible(s string) bool {
	if s == "" || len(s) > 32 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
