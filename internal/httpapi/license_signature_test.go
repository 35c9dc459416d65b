package httpapi_test

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
	"time"

	"github.com/yaronf/httpsign"

	"stoa/internal/testkit"
)

// licenseKey returns the public licence key with an id.
func licenseKey(tb testing.TB, a *testkit.App, id string) ed25519.PublicKey {
	tb.Helper()
	res := a.Do(tb, testkit.Request{Method: http.MethodGet, Path: "/api/marketplace/license-keys"})
	list, _ := res.Get(tb, "keys").([]any)
	for _, k := range list {
		if k := k.(map[string]any); k["kid"] == id { //nolint:forcetypeassert // checked against openapi.yaml
			x, err := base64.RawURLEncoding.DecodeString(k["x"].(string)) //nolint:forcetypeassert // checked against openapi.yaml
			if err != nil {
				tb.Fatal(err)
			}
			return x
		}
	}
	tb.Fatalf("no licence key %q", id)
	return nil
}

var signatureParams = regexp.MustCompile(`;created=(\d+);keyid="([^"]+)";alg="ed25519"(?:;nonce="([^"]*)")?;tag="stoa-license"$`)

// wantSigned checks the signature of an answer with a library that is not ours.
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
		AddHeaderExt("@method", false, false, true, false).AddHeaderExt("@path", false, false, true, false).AddHeaderExt("@query", false, false, true, false)
	if res.Header.Get("X-License-Code") != "" {
		fields.AddHeader("x-license-code")
	}
	v, err := httpsign.NewEd25519Verifier(licenseKey(tb, a, m[2]), httpsign.NewVerifyConfig().SetVerifyCreated(false), *fields)
	if err != nil {
		tb.Fatal(err)
	}
	body := io.NopCloser(bytes.NewReader(res.Body))
	if method != http.MethodHead {
		if err := httpsign.ValidateContentDigestHeader(res.Header.Values("Content-Digest"), &body, []string{httpsign.DigestSha256}); err != nil {
			tb.Errorf("%s: %v", path, err)
		}
	}
	err = httpsign.VerifyResponse("stoa", *v, &http.Response{StatusCode: res.Status, Header: res.Header, Body: body},
		&http.Request{Method: method, URL: u, Host: u.Host, Header: make(http.Header)})
	if err != nil {
		tb.Errorf("%s %s: %v\n%d %v", method, path, err, res.Status, res.Header)
	}
}

// licensePath is the address of a question about a licence of mail-pack.
func licensePath(what, key, instance, more string) string {
	return testkit.Products + "/mail-pack/license/" + what + "?" + url.Values{"licenseKey": {key}, "instanceId": {instance}}.Encode() + more
}

func TestEveryVerifyAnswerIsSigned(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	key := a.BuyKey(t, "", "monthly")
	a.Activate(t, key, "shop.example:8080")

	signed := func(method, path, nonce string, status int, code string) {
		t.Helper()
		res := a.Do(t, testkit.Request{Method: method, Path: path})
		if res.Status != status || res.Header.Get("X-License-Code") != code {
			t.Errorf("%s = %d with code %q, want %d with %q", path, res.Status, res.Header.Get("X-License-Code"), status, code)
		}
		wantSigned(t, a, method, path, nonce, res)
	}
	longest := strings.Repeat("aZ0-._~x", 16)
	signed("GET", licensePath("verify", key, "shop.example:8080", ""), "", 200, "")
	signed("GET", licensePath("verify", key, "shop.example:8080", "&nonce="+longest), longest, 200, "")
	signed("HEAD", licensePath("verify", key, "shop.example:8080", "&nonce=n"), "n", 200, "")
	signed("GET", licensePath("verify", key, "other.example", "&nonce=n"), "n", 200, "not_activated")
	signed("GET", licensePath("verify", key+"X", "a b ä+&=?", "&nonce=n"), "n", 200, "not_found")
	signed("GET", testkit.Products+"/mail-pack/license/verify", "", 400, "")
	signed("GET", testkit.Products+"/mail-pack/license/verify?nonce=n", "n", 400, "")
	signed("GET", testkit.Products+"/other%20p%61ck/license/verify?licenseKey=x&instanceId=y", "", 404, "")
	a.Clock.Advance(40 * 24 * time.Hour)
	signed("GET", licensePath("verify", key, "shop.example:8080", ""), "", 200, "expired")

	// After a rotation the new key signs, and what the old one signed verifies still.
	path := licensePath("verify", key, "shop.example:8080", "")
	before := a.Fetch(t, path)
	if _, err := a.LicenseKeys.Rotate(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	signed("GET", path, "", 200, "expired")
	wantSigned(t, a, "GET", path, "", before)

	keys := a.Fetch(t, "/api/marketplace/license-keys") // before the database is gone
	if err := a.DB.Close(); err != nil || keys.Status != http.StatusOK {
		t.Fatal(err)
	}
	signed("GET", licensePath("verify", key, "shop.example:8080", "&nonce=n"), "n", 500, "")
}

func TestABadNonceIsRefusedAndNotEchoed(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	key := a.BuyKey(t, "", "once")

	for _, nonce := range []string{"", "a%20b", "a%22", "%C3%A4", "a%0d%0ab", "a%5C", strings.Repeat("n", 129), "a&nonce=a"} {
		path := licensePath("verify", key, "a.example", "&nonce="+nonce)
		res := a.Do(t, testkit.Request{Method: http.MethodGet, Path: path})
		testkit.WantFlatError(t, res, 400, "VALIDATION_ERROR")
		if got := testkit.IssuePaths(t, res); got != "nonce" {
			t.Errorf("nonce %q: issues at %q", nonce, got)
		}
		wantSigned(t, a, "GET", path, "", res)
	}
	res := a.Fetch(t, testkit.Products+"/mail-pack/license/verify?nonce=")
	if got := testkit.IssuePaths(t, res); got != "nonce licenseKey instanceId" {
		t.Errorf("issues at %q, want every fault", got)
	}
}
