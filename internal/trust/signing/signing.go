// Package signing implements the signature of requests to plugins, profile v1
// (contract 5.8), for both sides: the platform that signs, and the plugin that verifies.
// docs/plugins/signature.md describes it for plugin authors, docs/signature-vectors.json
// has test vectors.
//
// It does not store or look up secrets. Package gateway decides which headers the
// platform sets; this package only knows which names are reserved for them.
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
	// UnsignedStream replaces the hash of a body of more than MaxSignedBody bytes, which
	// is sent while it is read.
	UnsignedStream = "UNSIGNED-STREAM"
	// MaxSignedBody is the size in bytes of the largest body that is hashed.
	MaxSignedBody = 1 << 20
	// Tolerance is the maximum difference between the clocks of the two sides
	// (contract 5.8).
	Tolerance = 300_000 * time.Millisecond
)

const profile = "v1"

// Header is one header field.
type Header struct{ Name, Value string }

// Message is the part of a request that a signature covers.
type Message struct {
	Timestamp int64  // Unix milliseconds
	Method    string // as in the request line
	Target    string // path with query, as in the request line
	Body      string // from BodyHash, or UnsignedStream
	// Headers are the headers set by the platform, in any order, with names in any case.
	// The headers of signature and timestamp are ignored.
	Headers []Header
	// Ordered says that Headers are in the order of their names, which are in lower case.
	// It saves the look whether they are.
	Ordered bool
}

// BodyHash returns the hash of a body for Message.Body: its SHA-256 in hex.
func BodyHash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// Sign returns the value of the signature header: one signature for each secret, in
// their order. The key of a signature is the secret's text as bytes.
func Sign(secrets []string, m Message) string { return NewSigner(secrets).Sign(m) }

func sum(secret string, text []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(text)
	return mac.Sum(nil)
}

// Text returns the text that is signed, for test vectors.
func (m Message) Text() string { return string(m.appendText(nil)) }

// appendText appends the bytes to sign to b: lines joined by line feeds.
func (m Message) appendText(b []byte) []byte {
	b = append(b, profile+"\n"...)
	b = strconv.AppendInt(b, m.Timestamp, 10)
	for _, line := range []string{m.Method, m.Target, m.Body} {
		b = append(b, '\n')
		b = append(b, line...)
	}
	list := m.Headers
	if !m.Ordered {
		list = inOrder(list)
	}
	for _, h := range list {
		if carriesSignature(h.Name) {
			continue
		}
		b = append(b, '\n')
		b = append(b, h.Name...)
		b = append(b, ':')
		b = append(b, h.Value...)
	}
	return b
}

// inOrder returns headers by name, with names in lower case. It does not change list.
func inOrder(list []Header) []Header {
	byName := func(a, b Header) int { return strings.Compare(a.Name, b.Name) }
	isUpper := func(h Header) bool { return strings.ToLower(h.Name) != h.Name }
	if !slices.ContainsFunc(list, isUpper) && slices.IsSortedFunc(list, byName) {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].Name = strings.ToLower(list[i].Name)
	}
	slices.SortFunc(list, byName)
	return list
}

func carriesSignature(lower string) bool {
	return lower == "x-platform-signature" || lower == "x-platform-timestamp"
}

// Reserved header names, and prefixes of them: those of headers that the platform sets,
// or may set in a later version.
var (
	reservedNames = []string{
		"x-tenant-id", "x-request-id", "x-caller", "x-locale",
		"x-forwarded-for", "x-forwarded-proto", "x-forwarded-host",
	}
	reservedPrefixes = []string{"x-plugin-", "x-installation-", "x-platform-", "x-user-", "x-hook-"}
)

// Reserved reports whether a header name is reserved for the platform. Clients cannot
// send such headers to a plugin, and the signature covers all of them. So a receiver
// need not know which ones a version of the platform sends.
//
// Names are compared after Fold, so that neither x_user_id nor X.User.Id passes for
// x-user-id in careless software.
func Reserved(name string) bool {
	folded := Fold(name)
	if slices.Contains(reservedNames, folded) {
		return true
	}
	return slices.ContainsFunc(reservedPrefixes, func(p string) bool { return strings.HasPrefix(folded, p) })
}

// Fold returns a header name in lower case, with hyphens for everything except letters
// and digits. Names that fold to the same may be the same to a plugin: CGI and its
// descendants know only letters, digits and underscores.
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
