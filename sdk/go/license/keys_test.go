package license_test

import (
	"errors"
	"strings"
	"testing"

	"stoa.example/sdk/go/license"
)

func TestInvalidKeySetsAreRefused(t *testing.T) {
	t.Parallel()

	v := readVectors(t)
	jwks := string(v.JWKS)
	for name, text := range map[string]string{
		"nothing": "", "no JSON": "{", "no keys": `{"keys":[]}`, "only others": `{"keys":[{"kty":"RSA","kid":"k"}]}`,
		"a short key":   `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"AAAA"}]}`,
		"another kid":   strings.Replace(jwks, `"kid": "`, `"kid": "x`, 1),
		"a changed key": strings.Replace(jwks, `"x": "i`, `"x": "j`, 1),
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
}

func TestKeysOfOtherKindsAreSkipped(t *testing.T) {
	t.Parallel()

	v := readVectors(t)
	other := `"keys": [{"kty":"EC","crv":"P-256","kid":"other"},`
	jwks := strings.Replace(string(v.JWKS), `"keys": [`, other, 1)
	if !strings.Contains(jwks, other) {
		t.Fatal("the key set is not as this test expects")
	}
	if _, err := license.ParseJWKS([]byte(jwks)); err != nil {
		t.Errorf("a key set with another kind of key: %v", err)
	}
}

func TestTheZeroKeysVerifyNothing(t *testing.T) {
	t.Parallel()

	var none license.Keys
	if _, err := none.ParseLease(readVectors(t).Leases[0].Lease); !errors.Is(err, license.ErrUnknownKey) {
		t.Errorf("ParseLease without keys = %v", err)
	}
}
