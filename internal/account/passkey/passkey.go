// Package passkey is passkeys (Web Authentication Level 3): what browsers are asked, and whether their answers are
// genuine. It offers and accepts ES256, EdDSA and RS256 only, always asks the authenticator to verify its user, and
// asks nobody to say what kind of device it is (no attestation).
//
// It keeps nothing. Package account stores passkeys, and sees to it that a challenge works once.
package passkey

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Life is how long a user has to answer a challenge.
const Life = 5 * time.Minute

// The algorithms (COSE) with which passkeys sign.
const (
	ES256 = -7
	EdDSA = -8
	RS256 = -257
)

// algorithms are those that are offered, the best first.
var algorithms = []int{EdDSA, ES256, RS256}

// HandleSize is the length of a user's handle in bytes: as much as there may be, so that nothing is learned from it.
const HandleSize = 64

// Credential is a passkey as far as its proofs are concerned.
type Credential struct {
	ID        string // as browsers write it: base64url
	PublicKey []byte // COSE
	Algorithm int
	// Counter is that of the last proof. Passkeys that are synchronized have none: 0.
	Counter uint32
	AAGUID  string // the kind of authenticator, as it says; it may be zero
	// BackupEligible says that the passkey may be synchronized, which never changes; BackedUp that it is.
	BackupEligible, BackedUp bool
	Transports               []string
}

// Use is what a proof tells besides that it is genuine.
type Use struct {
	Counter  uint32
	BackedUp bool
}

// Fell reports whether the counter did not rise: the passkey may be a copy. Those without a counter tell nothing.
func (u Use) Fell(before uint32) bool { return u.Counter != 0 && before != 0 && u.Counter <= before }

// NewChallenge returns 256 random bits, as browsers send them back.
func NewChallenge() string { return text(random(32)) }

// NewHandle returns a handle for a user.
func NewHandle() []byte { return random(HandleSize) }

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

func text(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Party is for whom passkeys are made (the relying party): a host name, and the origins whose pages may ask for them.
type Party struct {
	ID      string
	Origins []string
}

// ErrUnavailable is returned by NewParty for an address at which browsers make no passkeys. It says why.
var ErrUnavailable = errors.New("passkeys are not available")

// NewParty returns the party for a platform at publicURL. id is a host name at or above all origins, and that of
// publicURL if empty; more are origins besides publicURL. The error is ErrUnavailable if neither is given and browsers
// make no passkeys at publicURL; any other says what is wrong with id or more.
func NewParty(id string, more []string, publicURL string) (*Party, error) {
	own, err := url.Parse(publicURL)
	if err != nil {
		return nil, err
	}
	p := &Party{ID: id}
	if id == "" {
		p.ID = own.Hostname()
	}
	if reason := p.unfit(publicURL); reason == "" {
		p.Origins = []string{publicURL}
	} else if id == "" && len(more) == 0 {
		return nil, fmt.Errorf("%w: %s %s", ErrUnavailable, publicURL, reason)
	}
	if isAddress(p.ID) || p.ID != strings.ToLower(p.ID) || strings.ContainsAny(p.ID, ":/*_ ") {
		return nil, fmt.Errorf("the id of passkeys %q is not a host name; write one like example.com", p.ID)
	}
	for _, origin := range more {
		if reason := p.unfit(origin); reason != "" {
			return nil, fmt.Errorf("the origin of passkeys %q %s", origin, reason)
		}
		if !slices.Contains(p.Origins, origin) {
			p.Origins = append(p.Origins, origin)
		}
	}
	if len(p.Origins) == 0 {
		return nil, fmt.Errorf("the id of passkeys %q is neither the host of %s nor a domain above it", p.ID, publicURL)
	}
	return p, nil
}

// unfit says why browsers make no passkeys for p on pages of an origin, or nothing.
func (p *Party) unfit(origin string) string {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || origin != u.Scheme+"://"+strings.ToLower(u.Host) {
		return "is not an origin; write one like https://www.example.com"
	}
	host := u.Hostname()
	local := host == "localhost" || strings.HasSuffix(host, ".localhost")
	switch {
	case isAddress(host):
		return "has an address as its host, and passkeys need a name"
	case u.Scheme != "https" && (u.Scheme != "http" || !local):
		return "is not encrypted, and passkeys need https (or the host localhost)"
	case host != p.ID && !strings.HasSuffix(host, "."+p.ID):
		return "is not at or below the host " + p.ID
	}
	return ""
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}
