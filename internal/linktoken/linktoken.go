// Package linktoken makes the random tokens in links that work once, and the hash
// that the database keeps of them: whoever reads the database cannot use a link.
//
// When a token ends, and what it allows, belongs to the domain that hands it out.
package linktoken

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// New returns a token of 130 random bits: 26 upper-case letters and digits.
func New() string { return rand.Text() }

// Hash returns what the database keeps of a token: its SHA-256 in hex. A token is
// random and long, so a slow hash would protect nothing more.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
