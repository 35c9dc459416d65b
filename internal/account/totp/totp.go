// Package totp is one-time codes that an app computes from a shared secret and the time (RFC 6238), as
// authenticator apps know them: SHA-1, six digits, a new code every 30 seconds.
//
// It keeps nothing. Package account stores secrets, counts wrong codes, and sees to it that no code works
// twice.
package totp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // what apps can do; HMAC does not need collision resistance
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

const (
	// SecretSize is the length of a secret in bytes, as RFC 4226 recommends it.
	SecretSize = 20
	period     = 30 * time.Second
	modulus    = 1_000_000 // six digits
)

var encoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewSecret returns a random secret.
func NewSecret() []byte {
	secret := make([]byte, SecretSize)
	_, _ = rand.Read(secret) // never fails
	return secret
}

// Text returns a secret as people type it into an app.
func Text(secret []byte) string { return encoding.EncodeToString(secret) }

// Step returns the number of the period in which t lies.
func Step(t time.Time) int64 { return t.Unix() / int64(period.Seconds()) }

// Code returns the code of a period (RFC 4226, 5.3).
func Code(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, step) // never fails
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:])&0x7fffffff%modulus)
}

// Match returns the period whose code was typed: the present one or the one before, for slow people and
// clocks, if it comes after the period last. ok is false for any other code. Spaces count for nothing:
// apps show codes in groups.
func Match(secret []byte, typed string, now time.Time, last int64) (step int64, ok bool) {
	typed = strings.ReplaceAll(typed, " ", "")
	for _, candidate := range []int64{Step(now) - 1, Step(now)} {
		equal := subtle.ConstantTimeCompare([]byte(Code(secret, candidate)), []byte(typed)) == 1
		if equal && candidate > last {
			step, ok = candidate, true
		}
	}
	return step, ok
}

// URI returns the address that an app reads from a picture (Key URI Format). issuer names the platform,
// account the user.
func URI(secret []byte, issuer, account string) string {
	issuer = strings.ReplaceAll(issuer, ":", "") // it ends the name in the label
	// Apps show a + in a query as it is.
	query := strings.ReplaceAll(url.Values{"secret": {Text(secret)}, "issuer": {issuer}}.Encode(), "+", "%20")
	return "otpauth://totp/" + url.PathEscape(issuer+":"+account) + "?" + query
}
