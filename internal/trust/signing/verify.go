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

// Reasons to reject a request. The texts are for the receiver's log; the sender gets the
// same 401 for all of them.
var (
	ErrMissing   = errors.New("signing: the signature or its timestamp is missing")
	ErrMalformed = errors.New("signing: the signature headers cannot be read")
	ErrClock     = errors.New("signing: the timestamp differs from this clock by more than five minutes")
	ErrMismatch  = errors.New("signing: the signature does not belong to this request")
)

// maxSignatures is the maximum number of signatures in a header. The platform sends two
// at most.
const maxSignatures = 8

// VerifyRequest returns nil if the platform sent the request, and otherwise ErrMissing,
// ErrMalformed, ErrClock or ErrMismatch. body is the BodyHash of its body, or
// UnsignedStream, which a receiver should accept only for a body of more than
// MaxSignedBody bytes.
//
// r.RequestURI must be as in the request line: verify before anything rewrites the
// request.
func VerifyRequest(secrets []string, r *http.Request, body string, now time.Time) error {
	m := Message{Method: r.Method, Target: r.RequestURI, Body: body}
	for name, values := range r.Header {
		if !Reserved(name) {
			continue
		}
		if len(values) != 1 {
			return ErrMalformed // the platform sends each of its headers once
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

// Verify checks the value of a signature header, in constant time. One valid signature
// with any of the secrets is enough, so that either side may change its secret first.
func Verify(secrets []string, m Message, signature string, now time.Time) error {
	given, err := parseSignatures(signature)
	if err != nil {
		return err
	}
	if apart := now.UnixMilli() - m.Timestamp; apart > Tolerance.Milliseconds() || apart < -Tolerance.Milliseconds() {
		return ErrClock
	}
	text := m.appendText(nil)
	match := false
	for _, secret := range secrets {
		if secret == "" {
			continue // an empty key proves nothing
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

// parseTimestamp reads decimal digits only, unlike strconv.
func parseTimestamp(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		return 0, ErrMalformed
	}
	return n, nil
}

// parseSignatures returns the v1 signatures of a header value. It skips other profiles,
// which a later platform may send as well.
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
