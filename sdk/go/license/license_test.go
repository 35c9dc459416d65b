package license_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/sdk/go/license"
)

func mustKeys(tb testing.TB, v vectors) license.Keys {
	tb.Helper()
	keys, err := license.ParseJWKS(v.JWKS)
	if err != nil {
		tb.Fatal(err)
	}
	return keys
}

func at(unix int64) time.Time {
	if unix == 0 {
		return time.Time{}
	}
	return time.Unix(unix, 0).UTC()
}

var leaseErrors = map[string]error{
	"invalid": license.ErrInvalid, "unknown_key": license.ErrUnknownKey, "product": license.ErrProduct,
	"instance": license.ErrInstance, "issuer": license.ErrIssuer, "clock": license.ErrClock,
}

func TestLeases(t *testing.T) {
	t.Parallel()

	v := readVectors(t)
	fromPEM, err := license.ParsePEM([]byte(v.PEM))
	if err != nil {
		t.Fatal(err)
	}
	for form, keys := range map[string]license.Keys{"JWKS": mustKeys(t, v), "PEM": fromPEM} {
		for _, tt := range v.Leases {
			t.Run(form+"/"+tt.Name, func(t *testing.T) {
				t.Parallel()

				verifier := license.Verifier{Keys: keys, Product: tt.Product, Instance: tt.Instance, Issuer: tt.Issuer}
				got, err := verifier.Check(tt.Lease, at(tt.Now), at(tt.LastSeen))
				if tt.Error != "" {
					if !errors.Is(err, leaseErrors[tt.Error]) || got.Usable() || got.Lease.LicenseID != "" {
						t.Fatalf("Check = %+v, %v; want %s and nothing else", got, err, tt.Error)
					}
					return
				}
				if err != nil || string(got.State) != tt.State || !got.LastSeen.Equal(at(tt.SeenNext)) || got.Usable() != (tt.State != "expired") {
					t.Fatalf("Check = %s, seen %s, %v; want %s, seen %s", got.State, got.LastSeen, err, tt.State, at(tt.SeenNext))
				}
				if c := tt.Claims; c != nil {
					l := got.Lease
					if l.Issuer != c.Issuer || l.LicenseID != c.Subject || l.ProductID != c.Product.ID || l.Product != c.Product.Slug || l.Instance != c.InstanceID ||
						!slices.Equal(l.Features, c.Features) || l.LicenseType != c.LicenseType || !l.LicenseExpiresAt.Equal(at(c.LicenseExpiresAt)) ||
						!l.IssuedAt.Equal(at(c.IssuedAt)) || !l.ExpiresAt.Equal(at(c.ExpiresAt)) || !l.GraceUntil.Equal(at(c.GraceUntil)) || l.Nonce != c.Nonce {
						t.Errorf("lease = %+v, want %+v", l, c)
					}
					if l.Has("templates") != slices.Contains(c.Features, "templates") || l.Has("") {
						t.Errorf("Has does not follow %q", l.Features)
					}
				}
			})
		}
	}
}

// answerOf is an answer as net/http would have read it.
func answerOf(tb testing.TB, tt answerVector) license.Answer {
	tb.Helper()
	u, err := url.Parse(tt.URL)
	if err != nil {
		tb.Fatal(err)
	}
	h := make(http.Header)
	for name, value := range tt.Headers {
		h.Set(name, value)
	}
	return license.Answer{Method: tt.Method, URL: u, Status: tt.Status, Header: h, Body: []byte(tt.Body)}
}

func TestAnswers(t *testing.T) {
	t.Parallel()

	v := readVectors(t)
	keys := mustKeys(t, v)
	for _, tt := range v.Answers {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()

			got, err := license.VerifyAnswer(keys, answerOf(t, tt), tt.Nonce)
			if tt.Created == 0 {
				if !errors.Is(err, license.ErrUnsigned) || !got.IsZero() {
					t.Errorf("VerifyAnswer = %s, %v; want ErrUnsigned", got, err)
				}
			} else if err != nil || got.Unix() != tt.Created {
				t.Errorf("VerifyAnswer = %s, %v; want %s", got, err, at(tt.Created))
			}
		})
	}
}

func TestKeysThatAreNone(t *testing.T) {
	t.Parallel()

	v := readVectors(t)
	jwks := string(v.JWKS)
	for name, text := range map[string]string{
		"nothing": "", "no JSON": "{", "no keys": `{"keys":[]}`, "only others": `{"keys":[{"kty":"RSA","kid":"k"}]}`,
		"a short key":   `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"AAAA"}]}`,
		"another kid":   strings.Replace(jwks, `"kid":"`, `"kid":"x`, 1),
		"a changed key": strings.Replace(jwks, `"x":"i`, `"x":"j`, 1),
		"too long":      strings.Repeat(" ", 1<<20) + jwks,
	} {
		if _, err := license.ParseJWKS([]byte(text)); err == nil {
			t.Errorf("JWKS with %s is accepted", name)
		}
	}
	for name, text := range map[string]string{
		"nothing": "", "no PEM": "x", "another block": strings.ReplaceAll(v.PEM, "PUBLIC KEY", "PRIVATE KEY"),
		"damaged": strings.Replace(v.PEM, "MCow", "MCox", 1),
	} {
		if _, err := license.ParsePEM([]byte(text)); err == nil {
			t.Errorf("PEM with %s is accepted", name)
		}
	}
	others := strings.Replace(jwks, `{"keys":[`, `{"keys":[{"kty":"EC","crv":"P-256","kid":"other"},`, 1)
	if _, err := license.ParseJWKS([]byte(others)); err != nil {
		t.Errorf("a key set with another kind of key: %v", err)
	}
	var none license.Keys
	if _, err := none.ParseLease(v.Leases[0].Lease); !errors.Is(err, license.ErrUnknownKey) {
		t.Errorf("ParseLease without keys = %v", err)
	}
}

// RFC 9421, B.2.6: the same signature base, from the RFC's request.
func TestTheSignatureBaseIsThatOfTheRFC(t *testing.T) {
	t.Parallel()

	x, err := base64.RawURLEncoding.DecodeString("JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs")
	if err != nil {
		t.Fatal(err)
	}
	base := strings.Join([]string{
		`"date": Tue, 20 Apr 2021 02:07:55 GMT`, `"@method": POST`, `"@path": /foo`, `"@authority": example.com`,
		`"content-type": application/json`, `"content-length": 18`,
		`"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`,
	}, "\n")
	h := http.Header{
		"Date": {"Tue, 20 Apr 2021 02:07:55 GMT"}, "Content-Type": {"application/json"}, "Content-Length": {"18"},
		"Signature-Input": {`sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`},
		"Signature":       {`sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:`},
	}
	u := &url.URL{Scheme: "https", Host: "example.com", Path: "/foo", RawQuery: "param=Value&Pet=dog"}
	if err := license.CheckRFCVector(x, base, h, u); err != nil {
		t.Error(err)
	}
}

func TestTheSDKNeedsTheStandardLibraryOnly(t *testing.T) {
	t.Parallel()

	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			if path := strings.Trim(spec.Path.Value, `"`); strings.Contains(path, ".") || strings.HasPrefix(path, "stoa") {
				t.Errorf("%s imports %s", f.Name(), path)
			}
		}
	}
}

func FuzzParseLease(f *testing.F) {
	v := readVectors(f)
	keys := mustKeys(f, v)
	for _, l := range v.Leases {
		f.Add(l.Lease)
	}
	genuine := make(map[string]bool)
	for _, l := range v.Leases {
		if _, err := keys.ParseLease(l.Lease); err == nil {
			genuine[l.Lease] = true
		}
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if _, err := keys.ParseLease(raw); err == nil && !genuine[raw] {
			t.Errorf("ParseLease accepts %q", raw)
		}
	})
}

func FuzzParseKeys(f *testing.F) {
	v := readVectors(f)
	f.Add([]byte(v.JWKS))
	f.Add([]byte(v.PEM))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = license.ParseJWKS(data)
		_, _ = license.ParsePEM(data)
	})
}

func FuzzVerifyAnswer(f *testing.F) {
	v := readVectors(f)
	keys := mustKeys(f, v)
	good := v.Answers[0]
	for _, a := range v.Answers {
		f.Add(a.Headers["Signature-Input"], a.Headers["Signature"], a.Headers["Content-Digest"], a.Body)
	}
	f.Fuzz(func(t *testing.T, input, signature, digest, body string) {
		a := answerOf(t, good)
		a.Header = http.Header{"Signature-Input": {input}, "Signature": {signature}, "Content-Digest": {digest}}
		a.Body = []byte(body)
		if _, err := license.VerifyAnswer(keys, a, good.Nonce); err == nil && (body != good.Body || !strings.Contains(input, "created=1893499200")) {
			t.Errorf("VerifyAnswer accepts input %q with body %q", input, body)
		}
	})
}

func TestVectorsAreJSON(t *testing.T) {
	t.Parallel()

	data, err := os.ReadFile(vectorsFile)
	if err != nil || !json.Valid(data) || !bytes.HasSuffix(data, []byte("}\n")) {
		t.Errorf("vectors: %v", err)
	}
}
