// Package lease writes licence leases: signed statements that an instance may go
// on using a licence for a while without asking (CONTRACT 3).
//
// A lease is a JSON Web Token (EdDSA) whose header typ keeps it apart from every
// token of accounts, as its key does: keys of licences sign no tokens. It holds
// no licence key. How long one lasts is package market's business; who reads
// leases are apps, with sdk/go/license or sdk/js.
package lease

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"stoa/internal/keyring"
)

// Type is the header typ of a lease.
const Type = "license-lease+jwt"

// Claims are what a lease says. Times are Unix seconds.
type Claims struct {
	Issuer  string  `json:"iss"` // the public URL of the stoa
	Subject string  `json:"sub"` // the licence's id
	Product Product `json:"product"`

	InstanceID  string   `json:"instanceId"` // trimmed and in lower case
	Features    []string `json:"features"`
	LicenseType string   `json:"licenseType"`
	// LicenseExpiresAt is the end of the licence's term; left out if it has none.
	LicenseExpiresAt int64 `json:"licenseExpiresAt,omitempty"`

	// Development says that the instance is for development and takes no seat.
	Development bool `json:"development,omitempty"`

	IssuedAt  int64 `json:"iat"`
	ExpiresAt int64 `json:"exp"`
	// GraceUntil is until when an app may go on after ExpiresAt, while it tells
	// its user that it wants to reach its vendor.
	GraceUntil int64 `json:"graceUntil"`

	Nonce string `json:"nonce,omitempty"` // the client's own
}

// Product is the product a lease is for.
type Product struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
}

// Sign returns the lease that says c.
func Sign(key keyring.Key, c Claims) (string, error) {
	header := `{"alg":"EdDSA","kid":"` + key.ID + `","typ":"` + Type + `"}`
	var claims bytes.Buffer
	enc := json.NewEncoder(&claims)
	// A lease goes into no web page, and escapes would make it six times as long.
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c); err != nil {
		return "", fmt.Errorf("lease: %w", err)
	}
	b := make([]byte, 0, 1024)
	b = base64.RawURLEncoding.AppendEncode(b, []byte(header))
	b = append(b, '.')
	b = base64.RawURLEncoding.AppendEncode(b, bytes.TrimSuffix(claims.Bytes(), []byte("\n")))
	sig := ed25519.Sign(key.Private, b)
	b = append(b, '.')
	return string(base64.RawURLEncoding.AppendEncode(b, sig)), nil
}
