// Package lease writes license leases: signed statements that an instance may use a license for a while
// without contacting the shop (contract 3.12).
//
// A lease is a JSON Web Token (EdDSA). Two things keep it apart from the tokens of accounts: its typ
// header, and its signing key, which signs no tokens. It does not contain the license key. Package
// license decides how long a lease lasts. Apps read leases with sdk/go/license or sdk/js.
package lease

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"stoa/internal/trust/keyring"
)

// Type is the header typ of a lease.
const Type = "license-lease+jwt"

// Claims are the content of a lease. Times are Unix seconds.
type Claims struct {
	Issuer  string  `json:"iss"` // the shop's public URL
	Subject string  `json:"sub"` // the license's id
	Product Product `json:"product"`

	InstanceID  string   `json:"instanceId"` // trimmed and in lower case
	Features    []string `json:"features"`
	LicenseType string   `json:"licenseType"`
	// LicenseExpiresAt is the end of the license's term. Left out if the license is perpetual.
	LicenseExpiresAt int64 `json:"licenseExpiresAt,omitempty"`

	// Development says that the instance is for development and takes no seat.
	Development bool `json:"development,omitempty"`
	// Trial says that the license is a trial, which was not bought.
	Trial bool `json:"trial,omitempty"`
	// Tier is the id of the tier that the license is for. Leases of other times have none.
	Tier string `json:"tier,omitempty"`

	IssuedAt  int64 `json:"iat"`
	ExpiresAt int64 `json:"exp"`
	// GraceUntil is how long an app may run after ExpiresAt, while it warns its user that it cannot
	// reach the shop.
	GraceUntil int64 `json:"graceUntil"`

	Nonce string `json:"nonce,omitempty"` // chosen by the client
}

// Product is the product that a lease is for.
type Product struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
}

// Sign returns the lease with claims c, signed with key.
func Sign(key keyring.Key, c Claims) (string, error) {
	header := `{"alg":"EdDSA","kid":"` + key.ID + `","typ":"` + Type + `"}`
	var claims bytes.Buffer
	enc := json.NewEncoder(&claims)
	// A lease is not put into web pages, and HTML escapes are six bytes for one.
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
