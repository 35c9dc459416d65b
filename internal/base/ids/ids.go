// Package ids makes identifiers: CUID2 for users, products, orders, licenses and
// packages, and the tokens of links that work once.
//
// A CUID2 has 24 lower-case letters and digits, the first a letter. Ids have no order
// and do not reveal when or where they were made.
package ids

import (
	"crypto/rand"
	"crypto/sha3"
	"encoding/binary"
	"math/big"
	"time"
)

// Length is the number of characters in an id.
const Length = 24

// New returns a new id as the CUID2 specification defines it: a random letter, then the
// base-36 SHA3-512 of entropy and time. The reference implementation also mixes in a
// counter and a fingerprint of the host, for platforms with poor randomness; 256 bits
// from the kernel need neither.
func New() string {
	var in [40]byte
	_, _ = rand.Read(in[:32]) // never fails (crypto/rand)
	binary.LittleEndian.PutUint64(in[32:], uint64(time.Now().UnixNano()))
	sum := sha3.Sum512(in[:])

	out := make([]byte, 0, Length)
	// Some letters come up a tenth more often, but uniqueness does not depend on this
	// character.
	out = append(out, 'a'+in[0]%26)
	// The first digit is not evenly distributed. The reference implementation skips it
	// too.
	digits := new(big.Int).SetBytes(sum[:]).Text(36)
	return string(append(out, digits[1:Length]...))
}

// Plausible reports whether s could be the id of a row: 1 to 32 lower-case letters and digits. If not,
// there is no need to ask the database.
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
