// Package httpsig signs answers with HTTP Message Signatures (RFC 9421) and
// Content-Digest (RFC 9530). They prove that an answer comes from this stoa, belongs to
// this request and was not changed (contract 3.12).
//
// It implements only the parts that license answers need: one Ed25519 signature over a
// fixed list of components. It does not manage keys. Package api/shop signs with
// it, and sdk/go/license verifies.
package httpsig

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"sync"
)

// Label is the name of the signature in its two headers.
const Label = "stoa"

// CodeHeader is covered by the signature if the answer has it.
const CodeHeader = "X-License-Code"

// Request is the part of the request that a signature covers.
type Request struct {
	Method string
	Path   string // as the client sent it, percent-encoded
	Query  string // as the client sent it, without the question mark
}

// Params are the parameters of a signature. KeyID, Nonce and Tag consist of
// printable ASCII without quotation marks and backslashes.
type Params struct {
	Created int64 // Unix seconds
	KeyID   string
	Nonce   string // optional
	Tag     string
}

// buffers are for building signature bases.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// Sign adds Content-Digest, Signature-Input and Signature to the header of an answer
// with that status and body. Covered parts must not change afterwards.
func Sign(h http.Header, status int, body []byte, req Request, p Params, key ed25519.PrivateKey) {
	buf := buffers.Get().(*[]byte) //nolint:forcetypeassert // nothing else is put there
	defer buffers.Put(buf)
	b := (*buf)[:0]

	b = append(b, `"@status": `...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(b, "\n\"content-digest\": "...)
	start := len(b)
	b = appendDigest(b, body)
	digest := b[start:len(b):len(b)]
	code := h.Get(CodeHeader)
	if code != "" {
		b = append(b, "\n\"x-license-code\": "...)
		b = append(b, code...)
	}
	b = append(b, "\n\"@method\";req: "...)
	b = append(b, req.Method...)
	b = append(b, "\n\"@path\";req: "...)
	b = append(b, req.Path...)
	b = append(b, "\n\"@query\";req: ?"...)
	b = append(b, req.Query...)
	b = append(b, "\n\"@signature-params\": "...)
	start = len(b)
	b = p.append(b, code != "")
	input := b[start:len(b):len(b)]
	sig := ed25519.Sign(key, b)

	start = len(b) // of the values, which share one text
	b = append(b, digest...)
	first := len(b) - start
	b = append(append(b, Label+"="...), input...)
	second := len(b) - start
	b = append(b, Label+"=:"...)
	b = append(base64.StdEncoding.AppendEncode(b, sig), ':')
	all := string(b[start:])
	*buf = b
	values := []string{all[:first], all[first:second], all[second:]}
	h["Content-Digest"], h["Signature-Input"], h["Signature"] = values[:1:1], values[1:2:2], values[2:]
}

// append appends the list of covered components with its parameters. It is both the
// last line of the signature base and the value of Signature-Input.
func (p Params) append(b []byte, code bool) []byte {
	b = append(b, `("@status" "content-digest"`...)
	if code {
		b = append(b, ` "x-license-code"`...)
	}
	b = append(b, ` "@method";req "@path";req "@query";req);created=`...)
	b = strconv.AppendInt(b, p.Created, 10)
	b = append(b, `;keyid="`...)
	b = append(b, p.KeyID...)
	b = append(b, `";alg="ed25519"`...)
	if p.Nonce != "" {
		b = append(b, `;nonce="`...)
		b = append(b, p.Nonce...)
		b = append(b, '"')
	}
	b = append(b, `;tag="`...)
	b = append(b, p.Tag...)
	return append(b, '"')
}

// Digest returns the Content-Digest of a body.
func Digest(body []byte) string { return string(appendDigest(nil, body)) }

func appendDigest(b, body []byte) []byte {
	sum := sha256.Sum256(body)
	b = append(b, "sha-256=:"...)
	b = base64.StdEncoding.AppendEncode(b, sum[:])
	return append(b, ':')
}
