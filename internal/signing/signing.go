// Package signing is the signature with which the platform vouches for a request
// to a plugin: profile v1 (CONTRACT 5), for the side that signs and for the side
// that checks. docs/plugins/signature.md describes it for plugin authors, with
// the answers that testdata/v1.json knows.
//
// It holds no secrets and looks none up. Which headers the platform sets is
// package gateway's business; here is only which names belong to it.
package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Names of the two headers that carry the signature, as net/http spells them.
const (
	SignatureHeader = "X-Platform-Signature"
	TimestampHeader = "X-Platform-Timestamp"
)

const (
	// UnsignedStream stands in the place of the hash of a body that was not read
	// before it was sent: one of more than MaxSignedBody bytes.
	UnsignedStream = "UNSIGNED-STREAM"
	// MaxSignedBody is the size in bytes of the largest body that is hashed.
	MaxSignedBody = 1 << 20
	// Tolerance is how far the clocks of the two sides may be apart, either way
	// (spec B, Authentication 2).
	Tolerance = 300_000 * time.Millisecond
)

const profile = "v1"

// Header is one header field.
type Header struct{ Name, Value string }

// Message is what a signature covers.
type Message struct {
	Timestamp int64  // Unix milliseconds
	Method    string // as in the request line
	Target    string // path with query, as in the request line
	Body      string // what BodyHash returned, or UnsignedStream
	// Headers are those the platform set, in any order and with names in any
	// case. The signature and the timestamp may be among them; they are left out.
	Headers []Header
}

// BodyHash returns the hash of a body as it is signed: SHA-256 in hex.
func BodyHash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// Sign returns the value of the signature header: one signature for each secret,
// in their order. The bytes of a secret's string are the key.
func Sign(secrets []string, m Message) string {
	text := m.text()
	out := make([]byte, 0, len(secrets)*(len(profile)+2+2*sha256.Size))
	for i, secret := range secrets {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, profile+"="...)
		out = hex.AppendEncode(out, sum(secret, text))
	}
	return string(out)
}

func sum(secret string, text []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(text)
	return mac.Sum(nil)
}

// text returns the bytes that are signed: lines joined by a line feed.
func (m Message) text() []byte {
	headers := make([]Header, 0, len(m.Headers))
	size := len(m.Method) + len(m.Target) + len(m.Body) + 32
	for _, h := range m.Headers {
		h.Name = strings.ToLower(h.Name)
		if !carriesSignature(h.Name) {
			headers = append(headers, h)
			size += len(h.Name) + len(h.Value) + 2
		}
	}
	slices.SortFunc(headers, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })

	b := make([]byte, 0, size)
	b = append(b, profile+"\n"...)
	b = strconv.AppendInt(b, m.Timestamp, 10)
	for _, line := range []string{m.Method, m.Target, m.Body} {
		b = append(b, '\n')
		b = append(b, line...)
	}
	for _, h := range headers {
		b = append(b, '\n')
		b = append(b, h.Name...)
		b = append(b, ':')
		b = append(b, h.Value...)
	}
	return b
}

func carriesSignature(lower string) bool {
	return lower == "x-platform-signature" || lower == "x-platform-timestamp"
}

// reserved names and beginnings of names belong to the platform: the headers it
// injects, and those it may inject in a later version.
var (
	reservedNames = []string{
		"x-tenant-id", "x-request-id", "x-caller", "x-locale",
		"x-forwarded-for", "x-forwarded-proto", "x-forwarded-host",
	}
	reservedPrefixes = []string{"x-plugin-", "x-installation-", "x-platform-", "x-user-", "x-hook-"}
)

// Reserved reports whether a header name belongs to the platform: no client may
// send it to a plugin, and every header with such a name is signed. So a
// receiver need not know which headers a version of the platform sends.
//
// The name is compared the way careless software reads it, so that neither
// x_user_id nor X.User.Id can pass for x-user-id.
func Reserved(name string) bool {
	folded := Fold(name)
	if slices.Contains(reservedNames, folded) {
		return true
	}
	return slices.ContainsFunc(reservedPrefixes, func(p string) bool { return strings.HasPrefix(folded, p) })
}

// Fold returns a header name in lower case with everything but letters and
// digits as a hyphen. Names that fold alike may look alike to a plugin: CGI and
// its descendants know only letters, digits and underscores.
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + ('a' - 'A')
		}
		return '-'
	}, name)
}
