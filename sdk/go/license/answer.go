package license

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// ErrUnsigned means that the vendor did not sign this answer to this request.
// Treat it as no answer: it comes from a captive portal, a broken proxy or an
// impostor.
var ErrUnsigned = errors.New("license: the answer is not signed by the vendor")

const (
	signatureLabel = "stoa"
	signatureTag   = "stoa-license"
	codeHeader     = "X-License-Code"
)

// Answer is an HTTP answer together with the request it belongs to.
type Answer struct {
	Method string
	URL    *url.URL // as requested
	Status int
	Header http.Header
	Body   []byte
}

// VerifyAnswer checks the signature (RFC 9421) of an answer to license/verify or
// license/lease and returns when it was made, by the vendor's clock. nonce is the
// nonce of the request, made up for that request: it stops replays of old
// answers. Without a nonce the answer may be an old one.
//
// It returns ErrUnsigned.
func VerifyAnswer(keys Keys, a Answer, nonce string) (time.Time, error) {
	input, ok := member(a.Header.Values("Signature-Input"), signatureLabel)
	if !ok {
		return time.Time{}, ErrUnsigned
	}
	sig, ok := byteSequence(a.Header.Values("Signature"), signatureLabel)
	if !ok {
		return time.Time{}, ErrUnsigned
	}
	components, params, ok := parseInput(input)
	if !ok || !covers(components, a.Header) || params["alg"] != `"ed25519"` ||
		params["tag"] != quoted(signatureTag) || cmp.Or(params["nonce"], `""`) != quoted(nonce) {
		return time.Time{}, ErrUnsigned
	}
	created, err := strconv.ParseInt(params["created"], 10, 64)
	if err != nil || !digestMatches(a) {
		return time.Time{}, ErrUnsigned
	}
	base, ok := signatureBase(components, input, a)
	if !ok {
		return time.Time{}, ErrUnsigned
	}
	if ok, _ := keys.verify(strings.Trim(params["keyid"], `"`), []byte(base), sig); !ok {
		return time.Time{}, ErrUnsigned
	}
	return time.Unix(created, 0).UTC(), nil
}

func quoted(s string) string { return `"` + s + `"` }

// covers reports whether the signature covers every required component, each once.
func covers(components []string, h http.Header) bool {
	must := []string{`"@status"`, `"content-digest"`, `"@method";req`, `"@path";req`, `"@query";req`}
	if len(h.Values(codeHeader)) > 0 {
		must = append(must, `"x-license-code"`)
	}
	seen := make(map[string]bool)
	for _, c := range components {
		if seen[c] {
			return false
		}
		seen[c] = true
	}
	for _, c := range must {
		if !seen[c] {
			return false
		}
	}
	return true
}

// signatureBase builds the signed text (RFC 9421, section 2.5).
func signatureBase(components []string, input string, a Answer) (string, bool) {
	var b strings.Builder
	for _, c := range components {
		value, ok := component(c, a)
		if !ok {
			return "", false
		}
		b.WriteString(c + ": " + value + "\n")
	}
	b.WriteString(`"@signature-params": ` + input)
	return b.String(), true
}

// component returns the value of a covered component. Those with ;req belong to
// the request, the others to the answer.
func component(c string, a Answer) (string, bool) {
	switch c {
	case `"@status"`:
		return strconv.Itoa(a.Status), true
	case `"@method";req`:
		return a.Method, true
	case `"@path";req`:
		if path := a.URL.EscapedPath(); path != "" {
			return path, true
		}
		return "/", true
	case `"@query";req`:
		return "?" + a.URL.RawQuery, true
	}
	name, begins := strings.CutPrefix(c, `"`)
	name, ends := strings.CutSuffix(name, `"`)
	values := a.Header.Values(name)
	if !begins || !ends || strings.ContainsAny(name, `";@`) || len(values) == 0 {
		return "", false
	}
	trimmed := make([]string, len(values))
	for i, v := range values {
		trimmed[i] = strings.TrimSpace(v)
	}
	return strings.Join(trimmed, ", "), true
}

// digestMatches reports whether Content-Digest matches the body.
func digestMatches(a Answer) bool {
	digest, ok := byteSequence(a.Header.Values("Content-Digest"), "sha-256")
	sum := sha256.Sum256(a.Body)
	return ok && string(digest) == string(sum[:])
}

// member returns the value of one member of a Structured Field dictionary (RFC
// 8941). ok is false when the member is missing or repeated.
func member(fields []string, name string) (value string, ok bool) {
	for _, m := range splitQuoted(strings.Join(fields, ","), ',') {
		key, v, has := strings.Cut(strings.TrimSpace(m), "=")
		if key != name {
			continue
		}
		if ok || !has {
			return "", false
		}
		value, ok = v, true
	}
	return value, ok
}

// byteSequence returns the bytes of a member of type byte sequence.
func byteSequence(fields []string, name string) ([]byte, bool) {
	v, ok := member(fields, name)
	inner, begins := strings.CutPrefix(v, ":")
	inner, ends := strings.CutSuffix(inner, ":")
	if !ok || !begins || !ends {
		return nil, false
	}
	b, err := base64.StdEncoding.DecodeString(inner)
	return b, err == nil
}

// parseInput splits a Signature-Input member into the covered components and the
// parameters. Parameters keep their quotation marks, which tell a string from a
// token.
func parseInput(input string) (components []string, params map[string]string, ok bool) {
	list, begins := strings.CutPrefix(input, "(")
	list, rest, ends := strings.Cut(list, ")") // component names hold no parenthesis
	if !begins || !ends || rest != "" && rest[0] != ';' {
		return nil, nil, false
	}
	params = make(map[string]string)
	for _, p := range splitQuoted(strings.TrimPrefix(rest, ";"), ';') {
		key, value, has := strings.Cut(p, "=")
		if _, twice := params[key]; !has || twice {
			return nil, nil, false
		}
		params[key] = value
	}
	return strings.Fields(list), params, true
}

// splitQuoted splits s at every sep outside quotation marks.
func splitQuoted(s string, sep byte) []string {
	var parts []string
	inside, start := false, 0
	for i := range len(s) {
		switch {
		case s[i] == '"':
			inside = !inside
		case s[i] == sep && !inside:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}
