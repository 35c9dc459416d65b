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

// A signatureList collects requests that come from variants of one case.
type signatureList struct {
	base, plain signatureCase // plain is base with its signature
	list        []signatureRequest
}

// add adds a case, changed on its way, and what a receiver must make of it.
func (l *signatureList) add(c signatureCase, name, want string, change func(r *signatureRequest)) {
	r := c.signed().arriving(name)
	r.Error = want
	change(&r)
	l.list = append(l.list, r)
}

// with returns a variant of the base.
func (l *signatureList) with(change func(c *signatureCase)) signatureCase {
	c := l.base
	change(&c)
	return c
}

// of returns the base with a body of n bytes.
func (l *signatureList) of(n int) signatureCase {
	return l.with(func(c *signatureCase) { c.Body, c.BodyTimes = "x", n })
}

// asSigned changes nothing.
func asSigned(*signatureRequest) {}

// takingUnsigned lets the receiver accept bodies that no signature covers.
func takingUnsigned(r *signatureRequest) { r.UnsignedBodies = true }

func withHeader(name string, values ...string) func(r *signatureRequest) {
	return func(r *signatureRequest) { r.set(name, values...) }
}

func withSignature(values ...string) func(r *signatureRequest) {
	return withHeader("x-platform-signature", values...)
}

// withClock moves the clock of the receiver.
func withClock(ms int64) func(r *signatureRequest) {
	return func(r *signatureRequest) { r.Now += ms }
}

// withSecrets sets the secrets of the receiver.
func withSecrets(s ...string) func(r *signatureRequest) {
	return func(r *signatureRequest) { r.Secrets = append([]string{}, s...) }
}

func withTarget(path string) func(r *signatureRequest) {
	return func(r *signatureRequest) { r.Target = path }
}

func withBody(text string) func(r *signatureRequest) {
	return func(r *signatureRequest) { r.Body = text }
}

func signatureRequests() []signatureRequest {
	base := signatureCase{
		Secrets: []string{secretNow}, Timestamp: signedAt, Method: "POST", Target: "/base/api/a%2Fb?x=%20y&z",
		Headers: map[string]string{"x-user-id": "ada", "x-installation-id": "i-1", "x-plugin-permissions": ""},
		Body:    `{"note":"Grüezi"}`,
	}
	l := &signatureList{base: base, plain: base.signed()}
	l.addGenuine()
	l.addChanged()
	l.addBodies()
	l.addLate()
	l.addMissing()
	l.addMalformed()
	return l.list
}

func (l *signatureList) addGenuine() {
	both := l.with(func(c *signatureCase) { c.Secrets = []string{secretNow, secretOld} })
	odd := l.with(func(c *signatureCase) {
		c.Headers = map[string]string{
			"x-user-id": "Grüße 🙂", "x-user-mood-of-a-later-version": "fine", "x-hook-id": "h-1", "x-locale": "de-CH",
		}
	})
	l.add(l.base, "as signed", "", asSigned)
	l.add(l.base, "a header of the client's", "", withHeader("x-custom", "1"))
	l.add(l.base, "a client's header twice", "", withHeader("x-custom", "1", "2"))
	l.add(l.base, "a signature of a later profile first", "", withSignature("v2=00, "+l.plain.Signature))
	l.add(l.base, "the receiver's clock five minutes fast", "", withClock(300_000))
	l.add(l.base, "the receiver's clock five minutes slow", "", withClock(-300_000))
	l.add(both, "the receiver still has the previous secret", "", withSecrets(secretOld))
	l.add(l.base, "the receiver has the next secret already", "", withSecrets("next", secretNow))
	l.add(odd, "values beyond ASCII, and platform headers of a later version", "", asSigned)
	l.add(l.of(signing.MaxSignedBody), "a body of exactly 1 MiB", "", asSigned)
	l.add(l.of(signing.MaxSignedBody+1), "a body over 1 MiB, where such bodies are accepted", "", takingUnsigned)
}

// addChanged adds requests whose content or secret is another than what was signed.
func (l *signatureList) addChanged() {
	empty := l.with(func(c *signatureCase) { c.Secrets = []string{""} })
	l.add(l.base, "another method", "mismatch", func(r *signatureRequest) { r.Method = "PUT" })
	l.add(l.base, "another path", "mismatch", withTarget("/base/api/a%2Fc?x=%20y&z"))
	l.add(l.base, "a decoded path", "mismatch", withTarget("/base/api/a/b?x=%20y&z"))
	l.add(l.base, "a path without its base", "mismatch", withTarget("/api/a%2Fb?x=%20y&z"))
	l.add(l.base, "no query", "mismatch", withTarget("/base/api/a%2Fb"))
	l.add(l.base, "another body", "mismatch", withBody(`{"note":"Gruezi"}`))
	l.add(l.base, "no body", "mismatch", withBody(""))
	l.add(l.base, "another user", "mismatch", withHeader("x-user-id", "bob"))
	l.add(l.base, "a platform header more", "mismatch", withHeader("x-user-role", "admin"))
	l.add(l.base, "a platform header less", "mismatch", withHeader("x-plugin-permissions"))
	l.add(l.base, "an empty platform header more", "mismatch", withHeader("x-tenant-id", ""))
	l.add(l.base, "a platform header in another spelling", "mismatch", withHeader("x_user.id", "bob"))
	l.add(l.base, "another timestamp", "mismatch", withHeader("x-platform-timestamp", strconv.Itoa(signedAt+1)))
	l.add(l.base, "a secret that is not the platform's", "mismatch", withSecrets("guessed"))
	l.add(l.base, "no secret", "mismatch", withSecrets())
	l.add(empty, "an empty secret", "mismatch", withSecrets(""))
}

// addBodies adds bodies that are signed in the way of the other size.
func (l *signatureList) addBodies() {
	large := l.of(signing.MaxSignedBody + 1)
	posing := l.with(func(c *signatureCase) { c.BodyHash = signing.UnsignedStream })
	hashed := large
	hashed.BodyHash = signing.BodyHash(repeated(large.Body, large.BodyTimes))
	l.add(posing, "a small body signed as a large one", "mismatch", takingUnsigned)
	l.add(hashed, "a large body signed by its hash", "mismatch", takingUnsigned)
	l.add(large, "a body over 1 MiB, where such bodies are refused", "unsigned-body", asSigned)
}

func (l *signatureList) addLate() {
	l.add(l.base, "the receiver's clock faster", "clock", withClock(300_001))
	l.add(l.base, "the receiver's clock slower", "clock", withClock(-300_001))
	l.add(l.base, "a timestamp in seconds", "clock", withHeader("x-platform-timestamp", strconv.Itoa(signedAt/1000)))
}

func (l *signatureList) addMissing() {
	l.add(l.base, "no signature", "missing", withSignature())
	l.add(l.base, "an empty signature", "missing", withSignature(""))
	l.add(l.base, "no timestamp", "missing", withHeader("x-platform-timestamp"))
}

func (l *signatureList) addMalformed() {
	l.add(l.base, "a platform header twice", "malformed", withHeader("x-user-id", "ada", "ada"))
	l.add(l.base, "two signature headers", "malformed", withSignature(l.plain.Signature, l.plain.Signature))
	l.add(l.base, "a timestamp with a sign", "malformed", withHeader("x-platform-timestamp", "+1900000000000"))
	l.add(l.base, "a timestamp with a leading zero", "malformed", withHeader("x-platform-timestamp", "01900000000000"))
	l.add(l.base, "a timestamp in words", "malformed", withHeader("x-platform-timestamp", "now"))
	l.add(l.base, "a short signature", "malformed", withSignature("v1=00"))
	l.add(l.base, "a signature without its profile", "malformed", withSignature(strings.TrimPrefix(l.plain.Signature, "v1=")))
	l.add(l.base, "only a signature of a later profile", "malformed", withSignature("v2=00"))
	l.add(l.base, "an empty signature beside a good one", "malformed", withSignature(l.plain.Signature+","))
	l.add(l.base, "nine signatures", "malformed", withSignature(strings.Repeat("v2=0,", 8)+l.plain.Signature))
}
