package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Why a request is not believed. The texts are for the receiver's log; to the
// sender all of them are one 401.
var (
	ErrMissing   = errors.New("signing: the signature or its timestamp is missing")
	ErrMalformed = errors.New("signing: the signature headers cannot be read")
	ErrClock     = errors.New("signing: the timestamp is more than five minutes from this clock")
	ErrMismatch  = errors.New("signing: the signature does not belong to this request")
)

// maxSignatures is how many signatures of one request are looked at. The
// platform sends two at most.
const maxSignatures = 8

// VerifyRequest checks a request as the receiving side got it. body is BodyHash
// of its body, or UnsignedStream, which a receiver should accept only for a body
// of more than MaxSignedBody bytes. It returns nil if the platform sent the
// request, and ErrMissing, ErrMalformed, ErrClock or ErrMismatch.
//
// r.RequestURI must be what stood in the request line: check before anything
// rewrites the request.
func VerifyRequest(secrets []string, r *http.Request, body string, now time.Time) error {
	m := Message{Method: r.Method, Target: r.RequestURI, Body: body}
	for name, values := range r.Header {
		if !Reserved(name) {
			continue
		}
		if len(values) != 1 {
			return ErrMalformed // the platform sends each once
		}
		m.Headers = append(m.Headers, Header{name, values[0]})
	}
	stamp, signature := r.Header.Get(TimestampHeader), r.Header.Get(SignatureHeader)
	if stamp == "" || signature == "" {
		return ErrMissing
	}
	var err error
	if m.Timestamp, err = parseTimestamp(stamp); err != nil {
		return err
	}
	return Verify(secrets, m, signature, now)
}

// Verify checks the value of a signature header against what it should cover, in
// constant time. One signature by one of the secrets is enough, so that either
// side may change its secret first.
func Verify(secrets []string, m Message, signature string, now time.Time) error {
	given, err := parseSignatures(signature)
	if err != nil {
		return err
	}
	if apart := now.UnixMilli() - m.Timestamp; apart > Tolerance.Milliseconds() || apart < -Tolerance.Milliseconds() {
		return ErrClock
	}
	text := m.text()
	match := false
	for _, secret := range secrets {
		if secret == "" {
			continue // anyone could have signed with it
		}
		want := sum(secret, text)
		for _, s := range given {
			if hmac.Equal(s, want) {
				match = true
			}
		}
	}
	if !match {
		return ErrMismatch
	}
	return nil
}

// parseTimestamp reads decimal digits, and nothing else strconv would take.
func parseTimestamp(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		return 0, ErrMalformed
	}
	return n, nil
}

// parseSignatures returns the v1 signatures of a header value. Other profiles
// are skipped: a later platform may send them alongside.
func parseSignatures(value string) ([][]byte, error) {
	parts := strings.Split(value, ",")
	if len(parts) > maxSignatures {
		return nil, ErrMalformed
	}
	var list [][]byte
	for _, part := range parts {
		name, text, ok := strings.Cut(strings.Trim(part, " \t"), "=")
		switch {
		case !ok || name == "":
			return nil, ErrMalformed
		case name != profile:
			continue
		}
		sig, err := hex.DecodeString(text)
		if err != nil || len(sig) != sha256.Size {
			return nil, ErrMalformed
		}
		list = append(list, sig)
	}
	if len(list) == 0 {
		return nil, ErrMalformed
	}
	return list, nil
}
