package ids

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// NewLinkToken returns a random token for a link that works once: 130 random bits as 26
// upper-case letters and digits. What it allows, and for how long, belongs to the domain
// that issues it.
func NewLinkToken() string { return rand.Text() }

// HashLinkToken returns the SHA-256 of a token in hex. The database has only the hash, so reading
// it does not reveal usable links. A slow hash would not protect more, because a token is long and
// random.
func HashLinkToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
