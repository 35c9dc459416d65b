package shop_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/yaronf/httpsign"

	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

// licenseKey returns the public license key with an id.
func licenseKey(tb testing.TB, a *testkit.App, id string) ed25519.PublicKey {
	tb.Helper()
	res := a.Fetch(tb, "/api/marketplace/license-keys")
	list, _ := res.Get(tb, "keys").([]any)
	for _, k := range list {
		if k := k.(map[string]any); k["kid"] == id {
			x, err := base64.RawURLEncoding.DecodeString(k["x"].(string))
			if err != nil {
				tb.Fatal(err)
			}
			return x
		}
	}
	tb.Fatalf("no license key %q", id)
	return nil
}

var signatureParams = regexp.MustCompile(
	`;created=(\d+);keyid="([^"]+)";alg="ed25519"(?:;nonce="([^"]*)")?;tag="stoa-license"$`,
)

// wantSigned checks the signature of an answer with an independent library.
func wantSigned(tb testing.TB, a *testkit.App, method, path, nonce string, res testkit.Response) {
	tb.Helper()
	m := signatureParams.FindStringSubmatch(res.Header.Get("Signature-Input"))
	if m == nil {
		tb.Fatalf("%s: Signature-Input = %q", path, res.Header.Get("Signature-Input"))
	}
	if m[3] != nonce {
		tb.Errorf("%s: nonce = %q, want %q", path, m[3], nonce)
	}
	u, err := url.Parse(a.URL + path)
	if err != nil {
		tb.Fatal(err)
	}
	fields := httpsign.NewFields().AddHeaders("@status", "content-digest").
		AddHeaderExt("@method", false, false, true, false).AddHeaderExt("@path", false, false, true,
		false).AddHeaderExt("@query", false, false, true, false)
	if res.Header.Get("X-License-Code") != "" {
		fields.AddHeader("x-license-code")
	}
	v, err := httpsign.NewEd25519Verifier(licenseKey(tb, a, m[2]), httpsign.NewVerifyConfig().SetVerifyCreated(false),
		*fields)
	if err != nil {
		tb.Fatal(err)
	}
	body := io.NopCloser(bytes.NewReader(res.Body))
	if method != http.MethodHead {
		if err := httpsign.ValidateContentDigestHeader(res.Header.Values("Content-Digest"), &body, []string{
			httpsign.DigestSha256,
		}); err != nil {
			tb.Errorf("%s: %v", path, err)
		}
	}
	err = httpsign.VerifyResponse("stoa", *v, &http.Response{StatusCode: res.Status, Header: res.Header, Body: body},
		&http.Request{Method: method, URL: u, Host: u.Host, Header: make(http.Header)})
	if err != nil {
		tb.Errorf("%s %s: %v\n%d %v", method, path, err, res.Status, res.Header)
	}
}

// licensePath is the path of a question about a license of mail-pack: what is
// verify or lease.
func licensePath(what, key, instance, more string) string {
	return testkit.Products + "/mail-pack/license/" + what + "?" + url.Values{
		"licenseKey": {key}, "instanceId": {instance},
	}.Encode() + more
}

const ownLicenses = "/api/marketplace/licenses"

const orders = "/api/marketplace/orders"

func downloads(tb testing.TB, a *testkit.App) float64 {
	tb.Helper()
	return a.Fetch(tb, testkit.Products+"/mail-pack").Get(tb, "downloadCount").(float64)
}

// refusing answers requests of path with an error, and all others as next does.
func refusing(path string, status int,
	next func(stripetest.Request) *stripetest.Answer,
) func(stripetest.Request) *stripetest.Answer {
	return func(r stripetest.Request) *stripetest.Answer {
		if r.Path != path {
			return next(r)
		}
		return &stripetest.Answer{
			Status: status,
			Body: map[string]any{
				"error": map[string]any{"type": "invalid_request_error", "code": "charge_disputed", "message": "No."},
			},
		}
	}
}

// given returns the payments that Stripe was asked to refund.
func given(srv *stripetest.Server, s testkit.Sale) string {
	var ids []string
	for _, r := range srv.Requests("/v1/refunds") {
		ids = append(ids, strings.ReplaceAll(r.Form.Get("payment_intent"), s.OrderID, ""))
	}
	return strings.Join(ids, " ")
}
