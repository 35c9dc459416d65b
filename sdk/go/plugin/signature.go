package plugin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sort"
	"strconv"
	"strings"
)

// The headers of the signature, as net/http spells them.
const (
	timestampHeader = "X-Platform-Timestamp"
	signatureHeader = "X-Platform-Signature"
)

const (
	profile        = "v1"
	unsignedStream = "UNSIGNED-STREAM" // in place of the hash of a large body
	maxSignatures  = 8                 // the platform sends two at most
)

// signed is what the headers of a request say about its signature.
type signed struct {
	at         int64 // Unix milliseconds
	signatures [][]byte
	lines      []string // name:value of the headers that the signature covers
}

// readSigned reads the signature of a request. It returns ErrMissing or ErrMalformed.
func readSigned(r *http.Request) (s signed, err error) {
	for name, values := range r.Header {
		if !ofPlatform(name) {
			continue
		}
		if len(values) != 1 {
			return s, ErrMalformed // the platform sends each of its headers once
		}
		if name != timestampHeader && name != signatureHeader {
			s.lines = append(s.lines, strings.ToLower(name)+":"+values[0])
		}
	}
	stamp, signature := r.Header.Get(timestampHeader), r.Header.Get(signatureHeader)
	if stamp == "" || signature == "" {
		return s, ErrMissing
	}
	s.at, err = strconv.ParseInt(stamp, 10, 64)
	if err != nil || s.at < 0 || strconv.FormatInt(s.at, 10) != stamp { // digits only, unlike ParseInt
		return s, ErrMalformed
	}
	s.signatures, err = parseSignatures(signature)
	return s, err
}

// parseSignatures returns the v1 signatures of a header. It skips those of other profiles, which a later
// platform may send as well.
func parseSignatures(value string) (list [][]byte, err error) {
	parts := strings.Split(value, ",")
	if len(parts) > maxSignatures {
		return nil, ErrMalformed
	}
	for _, part := range parts {
		name, text, ok := strings.Cut(strings.Trim(part, " \t"), "=")
		if !ok || name == "" {
			return nil, ErrMalformed
		}
		if name != profile {
			continue
		}
		sum, err := hex.DecodeString(text)
		if err != nil || len(sum) != sha256.Size {
			return nil, ErrMalformed
		}
		list = append(list, sum)
	}
	if len(list) == 0 {
		return nil, ErrMalformed
	}
	return list, nil
}

// signedBy reports whether one of the signatures was made with one of the secrets. It compares in constant
// time.
func (s signed) signedBy(secrets []string, r *http.Request, bodyHash string) bool {
	text := s.text(r, strconv.FormatInt(s.at, 10), bodyHash)
	match := false
	for _, secret := range secrets {
		if secret == "" {
			continue // anybody could sign with it
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(text)
		want := mac.Sum(nil)
		for _, given := range s.signatures {
			if hmac.Equal(given, want) {
				match = true
			}
		}
	}
	return match
}

// text returns what is signed.
func (s signed) text(r *http.Request, timestamp, bodyHash string) []byte {
	sort.Slice(s.lines, func(i, j int) bool { return nameOf(s.lines[i]) < nameOf(s.lines[j]) })
	lines := append([]string{profile, timestamp, r.Method, r.RequestURI, bodyHash}, s.lines...)
	return []byte(strings.Join(lines, "\n"))
}

func nameOf(line string) string {
	name, _, _ := strings.Cut(line, ":")
	return name
}

// hashOf returns what the signature covers of a body.
func hashOf(body []byte, large bool) string {
	if large {
		return unsignedStream
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// ofPlatform reports whether the platform sets headers of that name, or may set them in a later version.
// Names are compared in lower case and with hyphens for everything but letters and digits, so that neither
// x_user_id nor X.User.Id passes for x-user-id in careless software.
func ofPlatform(name string) bool {
	folded := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + ('a' - 'A')
		}
		return '-'
	}, name)
	switch folded {
	case "x-tenant-id", "x-request-id", "x-caller", "x-locale",
		"x-forwarded-for", "x-forwarded-proto", "x-forwarded-host":
		return true
	}
	for _, prefix := range []string{"x-plugin-", "x-installation-", "x-platform-", "x-user-", "x-hook-"} {
		if strings.HasPrefix(folded, prefix) {
			return true
		}
	}
	return false
}
