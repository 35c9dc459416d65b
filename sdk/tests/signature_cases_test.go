package tests

import (
	"strconv"
	"strings"

	"stoa/internal/trust/signing"
)

const signatureVectorsFile = "../../docs/signature-vectors.json"

const (
	secretNow = "k3yOne-0123456789abcdefghijklmnopqrstuvwxyz"
	secretOld = "0ldKey-zyxwvutsrqponmlkjihgfedcba9876543210"
	signedAt  = 1_900_000_000_000
)

// signatureVectors is docs/signature-vectors.json.
type signatureVectors struct {
	Profile       string             `json:"profile"`
	ToleranceMS   int64              `json:"toleranceMs"`
	MaxSignedBody int                `json:"maxSignedBody"`
	Cases         []signatureCase    `json:"cases"`
	Requests      []signatureRequest `json:"requests"`
}

// signatureCase is a message and its signature.
type signatureCase struct {
	Name       string            `json:"name"`
	Secrets    []string          `json:"secrets"`
	Timestamp  int64             `json:"timestamp"`
	Method     string            `json:"method"`
	Target     string            `json:"target"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
	BodyTimes  int               `json:"bodyTimes,omitempty"` // the body is that text, so many times
	BodyHash   string            `json:"bodyHash"`
	SignedText string            `json:"signedText"`
	Signature  string            `json:"signature"`
}

// signatureRequest is a request as it arrives, and what a receiver must make of it.
type signatureRequest struct {
	Name           string      `json:"name"`
	Secrets        []string    `json:"secrets"` // the receiver's
	Now            int64       `json:"now"`     // the receiver's clock
	UnsignedBodies bool        `json:"unsignedBodies,omitempty"`
	Method         string      `json:"method"`
	Target         string      `json:"target"`
	Headers        [][2]string `json:"headers"`
	Body           string      `json:"body"`
	BodyTimes      int         `json:"bodyTimes,omitempty"`
	Error          string      `json:"error,omitempty"` // empty: genuine
}

// repeated returns the bytes of a body.
func repeated(text string, times int) []byte { return []byte(strings.Repeat(text, max(times, 1))) }

// hash returns what a signature covers of a body.
func hash(body []byte) string {
	if len(body) > signing.MaxSignedBody {
		return signing.UnsignedStream
	}
	return signing.BodyHash(body)
}

// signed fills in what follows from the rest of a case.
func (c signatureCase) signed() signatureCase {
	m := signing.Message{Timestamp: c.Timestamp, Method: c.Method, Target: c.Target, Body: c.BodyHash}
	if m.Body == "" {
		m.Body = hash(repeated(c.Body, c.BodyTimes))
		c.BodyHash = m.Body
	}
	for name, value := range c.Headers {
		m.Headers = append(m.Headers, signing.Header{Name: name, Value: value})
	}
	c.Signature, c.SignedText = signing.Sign(c.Secrets, m), m.Text()
	return c
}

// arriving returns the case as a request to a receiver with the current secret.
func (c signatureCase) arriving(name string) signatureRequest {
	r := signatureRequest{
		Name: name, Secrets: []string{secretNow}, Now: c.Timestamp, Method: c.Method, Target: c.Target,
		Body: c.Body, BodyTimes: c.BodyTimes,
	}
	for _, name := range sortedKeys(c.Headers) {
		r.Headers = append(r.Headers, [2]string{name, c.Headers[name]})
	}
	r.Headers = append(r.Headers,
		[2]string{"x-platform-timestamp", strconv.FormatInt(c.Timestamp, 10)},
		[2]string{"x-platform-signature", c.Signature})
	return r
}

// set replaces the values of a header.
func (r *signatureRequest) set(name string, values ...string) {
	kept := r.Headers[:0:0]
	for _, h := range r.Headers {
		if h[0] != name {
			kept = append(kept, h)
		}
	}
	for _, value := range values {
		kept = append(kept, [2]string{name, value})
	}
	r.Headers = kept
}

func signatureRequests() []signatureRequest {
	base := signatureCase{
		Secrets: []string{secretNow}, Timestamp: signedAt, Method: "POST", Target: "/base/api/a%2Fb?x=%20y&z",
		Headers: map[string]string{"x-user-id": "ada", "x-installation-id": "i-1", "x-plugin-permissions": ""},
		Body:    `{"note":"Grüezi"}`,
	}
	plain := base.signed()
	both := base
	both.Secrets = []string{secretNow, secretOld}
	large := base
	large.Body, large.BodyTimes = "x", signing.MaxSignedBody+1
	full := base
	full.Body, full.BodyTimes = "x", signing.MaxSignedBody
	posing := base
	posing.BodyHash = signing.UnsignedStream
	hashed := large
	hashed.BodyHash = signing.BodyHash(repeated(large.Body, large.BodyTimes))
	empty := base
	empty.Secrets = []string{""}
	odd := base
	odd.Headers = map[string]string{
		"x-user-id": "Grüße 🙂", "x-user-mood-of-a-later-version": "fine", "x-hook-id": "h-1", "x-locale": "de-CH",
	}

	var list []signatureRequest
	add := func(c signatureCase, name, want string, change func(r *signatureRequest)) {
		r := c.signed().arriving(name)
		r.Error = want
		change(&r)
		list = append(list, r)
	}
	header := func(name string, values ...string) func(r *signatureRequest) {
		return func(r *signatureRequest) { r.set(name, values...) }
	}
	none := func(*signatureRequest) {}
	unsigned := func(r *signatureRequest) { r.UnsignedBodies = true }
	clock := func(ms int64) func(r *signatureRequest) { return func(r *signatureRequest) { r.Now += ms } }
	signature := func(values ...string) func(r *signatureRequest) { return header("x-platform-signature", values...) }
	secrets := func(s ...string) func(r *signatureRequest) {
		return func(r *signatureRequest) { r.Secrets = append([]string{}, s...) }
	}

	add(base, "as signed", "", none)
	add(base, "a header of the client's", "", header("x-custom", "1"))
	add(base, "a client's header twice", "", header("x-custom", "1", "2"))
	add(base, "a signature of a later profile first", "", signature("v2=00, "+plain.Signature))
	add(base, "the receiver's clock five minutes fast", "", clock(300_000))
	add(base, "the receiver's clock five minutes slow", "", clock(-300_000))
	add(both, "the receiver still has the previous secret", "", secrets(secretOld))
	add(base, "the receiver has the next secret already", "", secrets("next", secretNow))
	add(odd, "values beyond ASCII, and platform headers of a later version", "", none)
	add(full, "a body of exactly 1 MiB", "", none)
	add(large, "a body over 1 MiB, where such bodies are accepted", "", unsigned)

	add(base, "another method", "mismatch", func(r *signatureRequest) { r.Method = "PUT" })
	add(base, "another path", "mismatch", func(r *signatureRequest) { r.Target = "/base/api/a%2Fc?x=%20y&z" })
	add(base, "a decoded path", "mismatch", func(r *signatureRequest) { r.Target = "/base/api/a/b?x=%20y&z" })
	add(base, "a path without its base", "mismatch", func(r *signatureRequest) { r.Target = "/api/a%2Fb?x=%20y&z" })
	add(base, "no query", "mismatch", func(r *signatureRequest) { r.Target = "/base/api/a%2Fb" })
	add(base, "another body", "mismatch", func(r *signatureRequest) { r.Body = `{"note":"Gruezi"}` })
	add(base, "no body", "mismatch", func(r *signatureRequest) { r.Body = "" })
	add(base, "another user", "mismatch", header("x-user-id", "bob"))
	add(base, "a platform header more", "mismatch", header("x-user-role", "admin"))
	add(base, "a platform header less", "mismatch", header("x-plugin-permissions"))
	add(base, "an empty platform header more", "mismatch", header("x-tenant-id", ""))
	add(base, "a platform header in another spelling", "mismatch", header("x_user.id", "bob"))
	add(base, "another timestamp", "mismatch", header("x-platform-timestamp", strconv.Itoa(signedAt+1)))
	add(base, "a secret that is not the platform's", "mismatch", secrets("guessed"))
	add(base, "no secret", "mismatch", secrets())
	add(empty, "an empty secret", "mismatch", secrets(""))
	add(posing, "a small body signed as a large one", "mismatch", unsigned)
	add(hashed, "a large body signed by its hash", "mismatch", unsigned)
	add(large, "a body over 1 MiB, where such bodies are refused", "unsigned-body", none)

	add(base, "the receiver's clock faster", "clock", clock(300_001))
	add(base, "the receiver's clock slower", "clock", clock(-300_001))
	add(base, "a timestamp in seconds", "clock", header("x-platform-timestamp", strconv.Itoa(signedAt/1000)))

	add(base, "no signature", "missing", signature())
	add(base, "an empty signature", "missing", signature(""))
	add(base, "no timestamp", "missing", header("x-platform-timestamp"))
	add(base, "a platform header twice", "malformed", header("x-user-id", "ada", "ada"))
	add(base, "two signature headers", "malformed", signature(plain.Signature, plain.Signature))
	add(base, "a timestamp with a sign", "malformed", header("x-platform-timestamp", "+1900000000000"))
	add(base, "a timestamp with a leading zero", "malformed", header("x-platform-timestamp", "01900000000000"))
	add(base, "a timestamp in words", "malformed", header("x-platform-timestamp", "now"))
	add(base, "a short signature", "malformed", signature("v1=00"))
	add(base, "a signature without its profile", "malformed", signature(strings.TrimPrefix(plain.Signature, "v1=")))
	add(base, "only a signature of a later profile", "malformed", signature("v2=00"))
	add(base, "an empty signature beside a good one", "malformed", signature(plain.Signature+","))
	add(base, "nine signatures", "malformed", signature(strings.Repeat("v2=0,", 8)+plain.Signature))
	return list
}
