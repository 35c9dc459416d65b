// Package linktoken makes the random tokens in links that work once, and their hashes.
// The database has the hash only, so nobody who reads it can use a link.
//
// What a token allows, and for how long, belongs to the domain that issues it.
package linktoken

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// New returns a token of 130 random bits: 26 upper-case letters and digits.
func New() string { return rand.Text() }

// Hash returns the hash of a token for the database: its SHA-256 in hex. A slow hash
// would not protect more, because a token is long and random.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
