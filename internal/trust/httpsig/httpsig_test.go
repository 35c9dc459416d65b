package httpsig_test

import (
	"bytes"
	"crypto/ed25519"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/yaronf/httpsign"

	"stoa/internal/trust/httpsig"
)

var key = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

var params = httpsig.Params{Created: 1618884473, KeyID: "k1", Nonce: "n.1-_~", Tag: "stoa-license"}

// RFC 9530, appendix D, table 1 and appendix B.
func TestDigestMatchesTheRFC(t *testing.T) {
	t.Parallel()

	for body, want := range map[string]string{
		`{"hello": "world"}`: "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
		"":                   "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:",
	} {
		if got := httpsig.Digest([]byte(body)); got != want {
			t.Errorf("Digest(%q) = %s, want %s", body, got, want)
		}
	}
}

// answer returns a signed answer, as a client receives it.
func answer(tb testing.TB, code, query string, p httpsig.Params) (*http.Response, *http.Request) {
	tb.Helper()
	u, err := url.Parse("https://shop.example/api/marketplace/products/a%2Fb/license/verify?" + query)
	if err != nil {
		tb.Fatal(err)
	}
	body := []byte(`{"valid":false}`)
	h := make(http.Header)
	if code != "" {
		h.Set(httpsig.CodeHeader, code)
	}
	httpsig.Sign(h, http.StatusOK, body,
		httpsig.Request{Method: http.MethodGet, Path: u.EscapedPath(), Query: u.RawQuery}, p, key)
	return &http.Response{StatusCode: http.StatusOK, Header: h, Body: io.NopCloser(bytes.NewReader(body))},
		&http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: make(http.Header)}
}

// check verifies an answer with a library that is not ours: it builds the
// signature base from the RFC, not from this package.
func check(tb testing.TB, res *http.Response, req *http.Request) error {
	tb.Helper()
	fields := httpsign.NewFields().AddHeaders("@status", "content-digest").
		AddHeaderExt("@method", false, false, true, false).
		AddHeaderExt("@path", false, false, true, false).AddHeaderExt("@query", false, false, true, false)
	if res.Header.Get(httpsig.CodeHeader) != "" {
		fields.AddHeader("x-license-code")
	}
	config := httpsign.NewVerifyConfig().
		SetVerifyCreated(false).
		SetKeyID("k1").
		SetAllowedAlgs([]string{"ed25519"}).
		SetAllowedTags([]string{"stoa-license"})
	v, err := httpsign.NewEd25519Verifier(key.Public().(ed25519.PublicKey), config,
		*fields) //nolint:forcetypeassert // it is one
	if err != nil {
		tb.Fatal(err)
	}
	if err := httpsign.ValidateContentDigestHeader(res.Header.Values("Content-Digest"),
		&res.Body, []string{httpsign.DigestSha256}); err != nil {
		return err
	}
	return httpsign.VerifyResponse(httpsig.Label, *v, res, req)
}

func TestAnIndependentLibraryTakesTheSignature(t *testing.T) {
	t.Parallel()

	for _, code := range []string{"", "not_found"} {
		for _, nonce := range []string{"", params.Nonce} {
			for _, query := range []string{"licenseKey=A&instanceId=shop.example%3A8080&nonce=n", "a=b+c&d=%C3%A4", ""} {
				p := params
				p.Nonce = nonce
				res, req := answer(t, code, query, p)
				if err := check(t, res, req); err != nil {
					t.Errorf("code %q, nonce %q, query %q: %v\n%v", code, nonce, query, err, res.Header)
				}
			}
		}
	}
}

func TestAnyChangeOfASignedPartIsDetected(t *testing.T) {
	t.Parallel()

	for name, change := range map[string]func(*http.Response, *http.Request){
		"the status": func(res *http.Response, _ *http.Request) { res.StatusCode = 404 },
		"the body": func(res *http.Response, _ *http.Request) {
			res.Body = io.NopCloser(bytes.NewReader([]byte(`{"valid":true}`)))
		},
		"body and digest": func(res *http.Response, _ *http.Request) {
			res.Body = io.NopCloser(bytes.NewReader(nil))
			res.Header.Set("Content-Digest", httpsig.Digest(nil))
		},
		"the code":         func(res *http.Response, _ *http.Request) { res.Header.Set("X-License-Code", "revoked") },
		"that it has none": func(res *http.Response, _ *http.Request) { res.Header.Del("X-License-Code") },
		"the method":       func(_ *http.Response, req *http.Request) { req.Method = http.MethodPost },
		"the path":         func(_ *http.Response, req *http.Request) { req.URL.Path, req.URL.RawPath = "/other", "" },
		"the query":        func(_ *http.Response, req *http.Request) { req.URL.RawQuery = "licenseKey=B" },
		"the nonce":        func(res *http.Response, _ *http.Request) { edit(res, `nonce="n.1-_~"`, `nonce="n.2-_~"`) },
		"the time":         func(res *http.Response, _ *http.Request) { edit(res, "1618884473", "1618884474") },
		"the components":   func(res *http.Response, _ *http.Request) { edit(res, ` "@query";req`, "") },
	} {
		res, req := answer(t, "not_found", "licenseKey=A", params)
		change(res, req)
		if check(t, res, req) == nil {
			t.Errorf("%s can be changed", name)
		}
	}
}

func edit(res *http.Response, from, to string) {
	input := res.Header.Get("Signature-Input")
	res.Header.Set("Signature-Input", string(bytes.Replace([]byte(input), []byte(from), []byte(to), 1)))
}

func BenchmarkSign(b *testing.B) {
	body := bytes.Repeat([]byte("x"), 500)
	req := httpsig.Request{
		Method: http.MethodGet,
		Path:   "/api/marketplace/products/shipping-labels/license/verify",
		Query:  "licenseKey=STOA-7QK2M-9XW4T-B3HNC-5VJ8R-D6PYE-J7H2Z&instanceId=shop.example.com",
	}
	h := make(http.Header)
	b.ReportAllocs()
	for b.Loop() {
		httpsig.Sign(h, http.StatusOK, body, req, params, key)
	}
}
