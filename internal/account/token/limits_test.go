package token

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"stoa/internal/trust/keyring"
)

// sealed signs header and claims, given as JSON text, with a service's secret or
// an Ed25519 key.
func sealed(tb testing.TB, key any, header, claims string) string {
	tb.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(header)) + "." + encode([]byte(claims))
	var method jwt.SigningMethod = jwt.SigningMethodHS256
	if _, ed := key.(ed25519.PrivateKey); ed {
		method = jwt.SigningMethodEdDSA
	}
	sig, err := method.Sign(text, key)
	if err != nil {
		tb.Fatal(err)
	}
	return text + "." + encode(sig)
}

func text(tb testing.TB, v any) string {
	tb.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// Each limit of contract 2.9, at the limit and one beyond.
func TestServiceTokensAtTheirLimits(t *testing.T) {
	t.Parallel()

	s := mustService(t, secret, "")
	for name, tt := range map[string]struct {
		change map[string]any
		ok     bool
	}{
		"as it should be":       {nil, true},
		"one hour":              {map[string]any{"exp": t0.Add(time.Hour).Unix()}, true},
		"one hour and a second": {map[string]any{"exp": t0.Add(time.Hour + time.Second).Unix()}, false},
		"one second":            {map[string]any{"exp": t0.Add(time.Second).Unix()}, true},
		"no time at all":        {map[string]any{"exp": t0.Unix()}, false},
		"no exp":                {map[string]any{"exp": nil}, false},
		"exp null":              {map[string]any{"exp": json.RawMessage("null")}, false},
		"exp 0":                 {map[string]any{"exp": 0}, false},
		"exp as text":           {map[string]any{"exp": "1900000000"}, false},
		"exp beyond all time":   {map[string]any{"exp": json.RawMessage("1e300")}, false},
		"exp and iat beyond all time": {
			map[string]any{"exp": json.RawMessage("1e300"), "iat": json.RawMessage("1e300")},
			false,
		},
		"exp and iat before all time": {map[string]any{
			"exp": json.RawMessage("1e300"),
			"iat": json.RawMessage("-1e300"),
		}, false},
		"no iat":            {map[string]any{"iat": nil}, false},
		"issued 30 s ahead": {map[string]any{"iat": t0.Add(30 * time.Second).Unix()}, true},
		"issued 31 s ahead": {map[string]any{"iat": t0.Add(31 * time.Second).Unix()}, false},
		"expired 29 s ago": {map[string]any{
			"iat": t0.Add(-time.Hour).Unix(),
			"exp": t0.Add(-29 * time.Second).Unix(),
		}, true},
		"expired 30 s ago": {map[string]any{
			"iat": t0.Add(-time.Hour).Unix(),
			"exp": t0.Add(-30 * time.Second).Unix(),
		}, false},
		"not before 30 s ahead":           {map[string]any{"nbf": t0.Add(30 * time.Second).Unix()}, true},
		"not before 31 s ahead":           {map[string]any{"nbf": t0.Add(31 * time.Second).Unix()}, false},
		"nbf as text":                     {map[string]any{"nbf": "0"}, false},
		"issuer in another case":          {map[string]any{"iss": strings.ToUpper(issuer)}, false},
		"issuer with a space before it":   {map[string]any{"iss": " " + issuer}, false},
		"issuer with a space after it":    {map[string]any{"iss": issuer + " "}, false},
		"issuer with a line break":        {map[string]any{"iss": issuer + "\n"}, false},
		"issuer with a NUL":               {map[string]any{"iss": issuer + "\x00"}, false},
		"issuer with a slash":             {map[string]any{"iss": issuer + "/"}, false},
		"issuer in a list":                {map[string]any{"iss": []string{issuer}}, false},
		"issuer under another case alone": {map[string]any{"iss": nil, "ISS": issuer}, false},
		"subject under another case":      {map[string]any{"sub": nil, "Sub": "billing"}, false},
		"subject in a list":               {map[string]any{"sub": []string{"billing"}}, false},
		"an issuer of both cases":         {map[string]any{"Iss": issuer}, false},
	} {
		raw := sealed(t, []byte(secret), `{"alg":"HS256"}`, text(t, with(serviceClaims(), tt.change)))
		if subject, err := s.Verify(raw, t0); (err == nil) != tt.ok || (subject == "billing") != tt.ok {
			t.Errorf("%s: Verify = %q, %v; want accepted %v", name, subject, err, tt.ok)
		}
	}
}

func TestServiceSecretsHave32BytesAtLeast(t *testing.T) {
	t.Parallel()

	for given, ok := range map[string]bool{
		strings.Repeat("x", 31): false, strings.Repeat("x", 32): true,
		strings.Repeat("ü", 15) + "x": false, strings.Repeat("ü", 16): true, // bytes, not characters
	} {
		s, err := NewService(issuer, given, "")
		if (err == nil) != ok {
			t.Errorf("a secret of %d bytes: %v, want accepted %v", len(given), err, ok)
		}
		if err != nil {
			continue
		}
		// The bytes as given: nothing is trimmed or decoded.
		if _, err := s.Verify(signService(t, jwt.SigningMethodHS256, []byte(given), nil, serviceClaims()), t0); err != nil {
			t.Errorf("a token under the %d bytes given: %v", len(given), err)
		}
		if _, err := s.Verify(signService(t, jwt.SigningMethodHS256, []byte(given+" "), nil, serviceClaims()),
			t0); !errors.Is(err, ErrInvalid) {
			t.Errorf("a token under other bytes: %v", err)
		}
	}
}

// RFC 9068: an authorization server's access token for a service has the typ that
// ours have, too. The key tells them apart.
func TestServiceTokensAreToldByTheirKey(t *testing.T) {
	t.Parallel()

	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own := keyring.GenerateKey()
	for name, tt := range map[string]struct {
		service *Service
		method  jwt.SigningMethod
		key     any
	}{
		"HS256": {mustService(t, secret, ""), jwt.SigningMethodHS256, []byte(secret)},
		"EdDSA": {mustService(t, "", publicPEM(t, public)), jwt.SigningMethodEdDSA, private},
	} {
		for typ, ok := range map[string]bool{
			"at+jwt": true, "AT+JWT": true, "application/at+jwt": true, "JWT": true, "": true, "rt+jwt": false, "RT+jwt": false, "it+jwt": false,
			"pt+jwt": false,
		} {
			header := map[string]any{"typ": typ, "kid": own.ID} // a kid is no key
			raw := signService(t, tt.method, tt.key, header, serviceClaims())
			if _, err := tt.service.Verify(raw, t0); (err == nil) != ok {
				t.Errorf("%s, typ %q: Verify = %v, want accepted %v", name, typ, err, ok)
			}
			if _, err := Parse(raw, Access, t0, only(own)); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s, typ %q: Parse takes it for one of ours: %v", name, typ, err)
			}
		}
		// Ours, with everything a service's token says.
		for _, typ := range []string{"at+jwt", "JWT", "rt+jwt", "pt+jwt", "it+jwt"} {
			claims := with(serviceClaims(), map[string]any{"userId": "u1", "sid": "s1", "role": "ADMIN", "jti": "j1"})
			raw := forge(t, own, map[string]any{"alg": "EdDSA", "typ": typ, "kid": own.ID}, claims)
			if _, err := tt.service.Verify(raw, t0); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: a token of our own key with typ %s passes for a service's: %v", name, typ, err)
			}
		}
	}
}

func TestNamesThatStandTwiceAreRefused(t *testing.T) {
	t.Parallel()

	s, own := mustService(t, secret, ""), keyring.GenerateKey()
	claims := text(t, serviceClaims())
	ours := `{"userId":"u1","role":"USER","sid":"s1","jti":"j1","iat":` + text(t, t0.Unix()) + `,"exp":` + text(t,
		t0.Add(time.Hour).Unix())
	head := `{"alg":"EdDSA","typ":"at+jwt","kid":"` + own.ID + `"`
	if _, err := s.Verify(sealed(t, []byte(secret), `{"alg":"HS256"}`, claims), t0); err != nil {
		t.Fatalf("the service's token all others are made from: %v", err)
	}
	if _, err := Parse(sealed(t, own.Private, head+`}`, ours+`}`), Access, t0, only(own)); err != nil {
		t.Fatalf("the access token all others are made from: %v", err)
	}
	for name, raw := range map[string]string{
		"issuer":       sealed(t, []byte(secret), `{"alg":"HS256"}`, `{"iss":"evil",`+claims[1:]),
		"issuer, last": sealed(t, []byte(secret), `{"alg":"HS256"}`, claims[:len(claims)-1]+`,"iss":"`+issuer+`"}`),
		"issuer, escaped": sealed(t, []byte(secret), `{"alg":"HS256"}`,
			claims[:len(claims)-1]+`,"\u0069ss":"`+issuer+`"}`),
		"algorithm":           sealed(t, []byte(secret), `{"alg":"none","alg":"HS256"}`, claims),
		"algorithm, cases":    sealed(t, []byte(secret), `{"ALG":"none","alg":"HS256"}`, claims),
		"of no meaning":       sealed(t, []byte(secret), `{"alg":"HS256"}`, `{"x":1,"x":2,`+claims[1:]),
		"what follows claims": sealed(t, []byte(secret), `{"alg":"HS256"}`, claims+`{}`),
	} {
		if _, err := s.Verify(raw, t0); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: Verify = %v, want ErrInvalid", name, err)
		}
	}
	for name, raw := range map[string]string{
		"user":         sealed(t, own.Private, head+`}`, ours+`,"userId":"u2"}`),
		"user, cases":  sealed(t, own.Private, head+`}`, ours+`,"USERID":"u2"}`),
		"kind":         sealed(t, own.Private, head+`,"typ":"at+jwt"}`, ours+`}`),
		"key":          sealed(t, own.Private, head+`,"kid":"`+own.ID+`"}`, ours+`}`),
		"claims after": sealed(t, own.Private, head+`}`, ours+`}{"userId":"u2"}`),
	} {
		if _, err := Parse(raw, Access, t0, only(own)); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: Parse = %v, want ErrInvalid", name, err)
		}
	}
	// Deeper down names are the service's own business.
	deep := sealed(t, []byte(secret), `{"alg":"HS256"}`, claims[:len(claims)-1]+`,"x":{"iss":1,"iss":2}}`)
	if _, err := s.Verify(deep, t0); err != nil {
		t.Errorf("names that stand twice deeper down: %v", err)
	}
}

func TestEveryForeignAlgorithmIsRefused(t *testing.T) {
	t.Parallel()

	own := keyring.GenerateKey()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	claims := jwt.MapClaims{
		"userId": "u1",
		"role":   "ADMIN",
		"sid":    "s1",
		"jti":    "j1",
		"iat":    t0.Unix(),
		"exp":    t0.Add(time.Hour).Unix(),
	}
	header := map[string]any{"typ": "at+jwt", "kid": own.ID}
	for name, raw := range map[string]string{
		"RS256":                        signService(t, jwt.SigningMethodRS256, rsaKey, header, claims),
		"PS256":                        signService(t, jwt.SigningMethodPS256, rsaKey, header, claims),
		"HS256 under the public bytes": signService(t, jwt.SigningMethodHS256, []byte(own.Public()), header, claims),
		"HS256 under the PEM": signService(t, jwt.SigningMethodHS256, []byte(publicPEM(t, own.Public())), header,
			claims),
		"HS512 under the public bytes": signService(t, jwt.SigningMethodHS512, []byte(own.Public()), header, claims),
		"HS256 under nothing":          signService(t, jwt.SigningMethodHS256, []byte{}, header, claims),
		"none": signService(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, header,
			claims),
	} {
		for _, kind := range []Kind{Access, Refresh, Plugin} {
			if _, err := Parse(raw, kind, t0, only(own)); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s as %s: Parse = %v, want ErrInvalid", name, kind, err)
			}
		}
	}
}
