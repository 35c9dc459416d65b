package tests

import (
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stoa/internal/trust/httpsig"
	"stoa/internal/trust/keyring"
)

type answerVector struct {
	Name    string            `json:"name"`
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Nonce   string            `json:"nonce,omitempty"`
	Created int64             `json:"created,omitempty"` // zero: the answer is refused
}

// verifyAddress is the address of most vectors.
const verifyAddress = "https://shop.example.com/api/marketplace/products/mail%2Fpack/license/verify" +
	"?licenseKey=STOA-1&instanceId=a.example%3A80+x&nonce=n-1"

// signedAnswer is an answer as stoa signs it. code is the reason of a refusal.
func signedAnswer(tb testing.TB, name string, k keyring.Key, address, code, nonce string) answerVector {
	tb.Helper()
	a := answerVector{
		Name: name, Method: http.MethodGet, URL: address, Status: http.StatusOK,
		Body: `{"valid":true,"features":["süß"]}` + "\n", Nonce: nonce, Created: t0, Headers: make(map[string]string),
	}
	h := make(http.Header)
	if code != "" {
		h.Set("X-License-Code", code)
		a.Body = `{"valid":false}` + "\n"
	}
	u := mustParse(tb, address)
	httpsig.Sign(h, a.Status, []byte(a.Body),
		httpsig.Request{Method: a.Method, Path: u.EscapedPath(), Query: u.RawQuery},
		httpsig.Params{Created: t0, KeyID: k.ID, Nonce: nonce, Tag: "stoa-license"}, k.Private)
	for name := range h {
		a.Headers[name] = h.Get(name)
	}
	return a
}

// granted is a signed answer to verifyAddress that grants.
func granted(tb testing.TB, name string) answerVector {
	tb.Helper()
	return signedAnswer(tb, name, key(tb, 1), verifyAddress, "", "n-1")
}

func mustParse(tb testing.TB, address string) *url.URL {
	tb.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

func answerVectors(tb testing.TB) []answerVector {
	tb.Helper()
	proxied := granted(tb, "beside the signature of a proxy")
	proxied.Headers["Signature-Input"] = `proxy=("@status");created=1;keyid="a,b=stoa=()";tag="x", ` +
		proxied.Headers["Signature-Input"]
	proxied.Headers["Signature"] += `, proxy=:AAAA:`
	v := []answerVector{
		granted(tb, "granted"),
		signedAnswer(tb, "refused", key(tb, 2), verifyAddress, "revoked", "n-1"),
		signedAnswer(tb, "without a nonce", key(tb, 1), "https://shop.example.com/p?a=b", "", ""),
		signedAnswer(tb, "without a query", key(tb, 1), "https://shop.example.com/p", "", ""),
		proxied,
	}
	v = append(v, signedOtherwise(tb)...)
	return append(v, changedAnswers(tb)...)
}

// signedOtherwise are signed with the right key: the first as stoa does, the
// others for another purpose, or over less than must be covered.
func signedOtherwise(tb testing.TB) []answerVector {
	tb.Helper()
	const (
		all  = `("@status" "content-digest" "@method";req "@path";req "@query";req)`
		rest = `;created=1893499200;keyid="KEY";alg="ed25519";nonce="n-1";tag="stoa-license"`
	)
	by := func(name, input string) answerVector {
		a := granted(tb, name)
		a.Created = 0
		return resigned(tb, a, strings.Replace(input, "KEY", key(tb, 1).ID, 1))
	}
	list := func(name, from, to string) answerVector { return by(name, strings.Replace(all, from, to, 1)+rest) }
	params := func(name, from, to string) answerVector { return by(name, all+strings.Replace(rest, from, to, 1)) }
	genuine := by("as stoa signs, by hand", all+rest)
	genuine.Created = t0
	return []answerVector{
		genuine,
		params("signed with another tag", "stoa-license", "other"),
		params("signed without a tag", `;tag="stoa-license"`, ""),
		params("signed as another algorithm", "ed25519", "hmac-sha256"),
		params("signed without a time", "created=1893499200;", ""),
		params("signed with a nonce that is no string", `"n-1"`, `n-1`),
		by("signed with a nonce twice", all+`;nonce="n-2"`+rest),
		list("signed without the query", ` "@query";req`, ""),
		list("signed without the digest", ` "content-digest"`, ""),
		list("signed without the status", `"@status" `, ""),
		list("signed with a component twice", `"@status"`, `"@status" "@status"`),
	}
}

// resigned is an answer with a genuine signature over the components of input.
func resigned(tb testing.TB, a answerVector, input string) answerVector {
	tb.Helper()
	u := mustParse(tb, a.URL)
	values := map[string]string{
		`"@status"`: "200", `"content-digest"`: a.Headers["Content-Digest"], `"@method";req`: a.Method,
		`"@path";req`: u.EscapedPath(), `"@query";req`: "?" + u.RawQuery,
	}
	base, list := "", strings.TrimPrefix(input[:strings.IndexByte(input, ')')], "(")
	for c := range strings.FieldsSeq(list) {
		base += c + ": " + values[c] + "\n"
	}
	sig := ed25519.Sign(key(tb, 1).Private, []byte(base+`"@signature-params": `+input))
	a.Headers["Signature-Input"] = "stoa=" + input
	a.Headers["Signature"] = "stoa=:" + base64.StdEncoding.EncodeToString(sig) + ":"
	return a
}

// changedAnswers do not fit their signature, or not the request or the key.
func changedAnswers(tb testing.TB) []answerVector {
	tb.Helper()
	bad := func(name string, change func(*answerVector)) answerVector {
		a := granted(tb, name)
		a.Created = 0
		change(&a)
		return a
	}
	header := func(name, header, value string) answerVector {
		return bad(name, func(a *answerVector) { a.Headers[header] = value })
	}
	input := func(name, from, to string) answerVector {
		return bad(name, func(a *answerVector) {
			a.Headers["Signature-Input"] = strings.Replace(a.Headers["Signature-Input"], from, to, 1)
		})
	}
	lacks := func(name, header string) answerVector {
		return bad(name, func(a *answerVector) { delete(a.Headers, header) })
	}
	otherKey := signedAnswer(tb, "another key", key(tb, 9), verifyAddress, "", "n-1")
	otherKey.Created = 0
	return []answerVector{
		otherKey,
		bad("another nonce expected", func(a *answerVector) { a.Nonce = "n-2" }),
		bad("a nonce although none was sent", func(a *answerVector) { a.Nonce = "" }),
		bad("another body", func(a *answerVector) { a.Body = `{"valid":true}` }),
		bad("another status", func(a *answerVector) { a.Status = http.StatusCreated }),
		bad("another path", func(a *answerVector) { a.URL = strings.Replace(a.URL, "mail%2Fpack", "other", 1) }),
		bad("another key asked about", func(a *answerVector) { a.URL = strings.Replace(a.URL, "STOA-1", "STOA-2", 1) }),
		bad("another method", func(a *answerVector) { a.Method = http.MethodPost }),
		header("a reason put in", "X-License-Code", "revoked"),
		refusal(tb, "a reason taken out", func(h map[string]string) { delete(h, "X-License-Code") }),
		refusal(tb, "a reason changed", func(h map[string]string) { h["X-License-Code"] = "expired" }),
		input("another time", "created=18", "created=19"),
		input("another tag", "stoa-license", "other"),
		input("fewer components", ` "@query";req`, ""),
		input("a component twice", `"@status"`, `"@status" "@status"`),
		input("a component that is not there", `"@status"`, `"@status" "x-other"`),
		lacks("no digest", "Content-Digest"),
		lacks("no signature", "Signature"),
		lacks("no input", "Signature-Input"),
		header("an input that is none", "Signature-Input", "stoa=1"),
		bad("two inputs", func(a *answerVector) {
			a.Headers["Signature-Input"] += ", " + a.Headers["Signature-Input"]
		}),
		header("a signature that is no base64", "Signature", "stoa=:*:"),
		header("a short signature", "Signature", "stoa=:AAAA:"),
	}
}

// refusal is a signed refusal whose headers were changed.
func refusal(tb testing.TB, name string, change func(map[string]string)) answerVector {
	tb.Helper()
	a := signedAnswer(tb, name, key(tb, 1), verifyAddress, "revoked", "n-1")
	a.Created = 0
	change(a.Headers)
	return a
}
