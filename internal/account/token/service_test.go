package token

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"stoa/internal/trust/keyring"
)

const (
	issuer = "https://billing.example.com"
	secret = "0123456789abcdef0123456789abcdef"
)

func publicPEM(tb testing.TB, key any) string {
	tb.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func mustService(tb testing.TB, secret, publicPEM string) *Service {
	tb.Helper()
	s, err := NewService(issuer, secret, publicPEM)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func serviceClaims() jwt.MapClaims {
	return jwt.MapClaims{"sub": "billing", "iss": issuer, "iat": t0.Unix(), "exp": t0.Add(time.Hour).Unix()}
}

func signService(tb testing.TB, method jwt.SigningMethod, key any, header map[string]any, claims jwt.MapClaims) string {
	tb.Helper()
	t := jwt.NewWithClaims(method, claims)
	for k, v := range header {
		t.Header[k] = v
	}
	raw, err := t.SignedString(key)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func TestServiceVerifiesEveryKindOfKey(t *testing.T) {
	t.Parallel()

	edPublic, edPrivate, err1 := ed25519.GenerateKey(rand.Reader)
	ec, err2 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	rsaKey, err3 := rsa.GenerateKey(rand.Reader, 2048)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		service *Service
		method  jwt.SigningMethod
		key     any
	}{
		"HS256":   {mustService(t, secret, ""), jwt.SigningMethodHS256, []byte(secret)},
		"Ed25519": {mustService(t, "", publicPEM(t, edPublic)), jwt.SigningMethodEdDSA, edPrivate},
		"P-256":   {mustService(t, "", publicPEM(t, &ec.PublicKey)), jwt.SigningMethodES256, ec},
		"RSA":     {mustService(t, "", publicPEM(t, &rsaKey.PublicKey)), jwt.SigningMethodRS256, rsaKey},
		`RSA with \n spelt out`: {
			mustService(t, "", strings.ReplaceAll(publicPEM(t, &rsaKey.PublicKey), "\n", `\n`)),
			jwt.SigningMethodRS256, rsaKey,
		},
	} {
		subject, err := tt.service.Verify(signService(t, tt.method, tt.key, nil, serviceClaims()), t0)
		if subject != "billing" || err != nil {
			t.Errorf("%s: Verify = %q, %v; want billing", name, subject, err)
		}
		// The public key is no secret: nothing signed with it as one may pass.
		if tt.method != jwt.SigningMethodHS256 {
			var pub []byte
			switch k := tt.key.(type) {
			case ed25519.PrivateKey:
				pub = []byte(publicPEM(t, edPublic))
			case *ecdsa.PrivateKey:
				pub = []byte(publicPEM(t, &k.PublicKey))
			case *rsa.PrivateKey:
				pub = []byte(publicPEM(t, &k.PublicKey))
			}
			if _, err := tt.service.Verify(signService(t, jwt.SigningMethodHS256, pub, nil, serviceClaims()), t0); !errors.Is(
				err, ErrInvalid) {
				t.Errorf("%s: a token signed with the public key as HMAC secret: %v", name, err)
			}
		}
	}
}

func TestServiceRefuses(t *testing.T) {
	t.Parallel()

	s := mustService(t, secret, "")
	own := keyring.GenerateKey()
	hs := func(header map[string]any, change map[string]any) string {
		return signService(t, jwt.SigningMethodHS256, []byte(secret), header, with(serviceClaims(), change))
	}
	if subject, err := s.Verify(hs(map[string]any{"typ": nil}, map[string]any{"userId": "u1", "role": "USER"}),
		t0); subject != "billing" ||
		err != nil {
		t.Fatalf("the token all others are made from: %q, %v", subject, err)
	}
	for name, raw := range map[string]string{
		"nothing":           "",
		"another secret":    signService(t, jwt.SigningMethodHS256, []byte(secret+"x"), nil, serviceClaims()),
		"another algorithm": signService(t, jwt.SigningMethodHS512, []byte(secret), nil, serviceClaims()),
		"none": signService(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil,
			serviceClaims()),
		"another issuer":              hs(nil, map[string]any{"iss": issuer + "/"}),
		"issuer in another case":      hs(nil, map[string]any{"iss": strings.ToUpper(issuer)}),
		"no issuer":                   hs(nil, map[string]any{"iss": nil}),
		"no subject":                  hs(nil, map[string]any{"sub": nil}),
		"no expiry":                   hs(nil, map[string]any{"exp": nil}),
		"no issue time":               hs(nil, map[string]any{"iat": nil}),
		"an hour and a second":        hs(nil, map[string]any{"exp": t0.Add(time.Hour + time.Second).Unix()}),
		"expires before it is issued": hs(nil, map[string]any{"exp": t0.Unix()}),
		"expired": hs(nil,
			map[string]any{"iat": t0.Add(-time.Hour).Unix(), "exp": t0.Add(-Leeway).Unix()}),
		"issued in the future":   hs(nil, map[string]any{"iat": t0.Add(time.Minute).Unix()}),
		"not valid yet":          hs(nil, map[string]any{"nbf": t0.Add(time.Minute).Unix()}),
		"typ of a refresh token": hs(map[string]any{"typ": "RT+JWT"}, nil),
		"typ of a plugin token":  hs(map[string]any{"typ": "pt+jwt"}, nil),
		"an extension":           hs(map[string]any{"crit": []string{"x"}}, nil),
		"an access token":        mustSign(t, own, Access, userClaims),
		"our key, our own issuer": forge(t, own, map[string]any{"alg": "EdDSA", "typ": "JWT", "kid": own.ID},
			serviceClaims()),
	} {
		if _, err := s.Verify(raw, t0); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: Verify = %v, want ErrInvalid", name, err)
		}
	}
	var off *Service
	if _, err := off.Verify(hs(nil, nil), t0); !errors.Is(err, ErrInvalid) {
		t.Errorf("Verify while services are off = %v, want ErrInvalid", err)
	}
}

func TestServiceRefusesSubjectsThatCannotBeStored(t *testing.T) {
	t.Parallel()

	s := mustService(t, secret, "")
	for _, tt := range []struct {
		name, json string // the sub as it stands in the claims
		want       string // empty if refused
	}{
		{"plain", `"billing"`, "billing"},
		{"other letters", `"Kasse 7, Zürich 😀"`, "Kasse 7, Zürich 😀"},
		{"255 bytes", `"` + strings.Repeat("x", 255) + `"`, strings.Repeat("x", 255)},
		{"256 bytes", `"` + strings.Repeat("x", 256) + `"`, ""},
		{"256 bytes in 128 letters", `"` + strings.Repeat("ü", 128) + `"`, ""},
		{"empty", `""`, ""},
		{"NUL", `"bill\u0000ing"`, ""},
		{"NUL at the end", `"billing\u0000"`, ""},
		{"line feed", `"billing\nadmin"`, ""},
		{"DEL", "\"billing\x7f\"", ""},
		{"C1", `"billing\u0085"`, ""},
		{"not UTF-8", "\"billing\xff\"", ""},
		{"half a surrogate pair", `"billing\ud800"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			claims := fmt.Sprintf(`{"sub":%s,"iss":%q,"iat":%d,"exp":%d}`, tt.json, issuer, t0.Unix(), t0.Add(time.Hour).Unix())
			text := base64.RawURLEncoding.EncodeToString(
				[]byte(`{"alg":"HS256"}`),
			) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
			sig, err := jwt.SigningMethodHS256.Sign(text, []byte(secret))
			if err != nil {
				t.Fatal(err)
			}
			subject, err := s.Verify(text+"."+base64.RawURLEncoding.EncodeToString(sig), t0)
			if subject != tt.want || (tt.want == "") != errors.Is(err, ErrInvalid) {
				t.Errorf("Verify = %q, %v; want %q", subject, err, tt.want)
			}
		})
	}
}

func TestNewServiceRefusesHalfAConfiguration(t *testing.T) {
	t.Parallel()

	weak, err1 := rsa.GenerateKey(rand.Reader, 1024)
	curve, err2 := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	public, private, err3 := ed25519.GenerateKey(rand.Reader)
	der, err4 := x509.MarshalPKCS8PrivateKey(private)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ issuer, secret, public string }{
		"no issuer":         {"", secret, ""},
		"no key":            {issuer, "", ""},
		"both keys":         {issuer, secret, publicPEM(t, public)},
		"31 bytes":          {issuer, secret[1:], ""},
		"not PEM":           {issuer, "", "ssh-ed25519 AAAA"},
		"a private key":     {issuer, "", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))},
		"damaged":           {issuer, "", string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der[:8]}))},
		"RSA of 1,024 bits": {issuer, "", publicPEM(t, &weak.PublicKey)},
		"another curve":     {issuer, "", publicPEM(t, &curve.PublicKey)},
	} {
		if s, err := NewService(tt.issuer, tt.secret, tt.public); err == nil || s != nil {
			t.Errorf("%s: NewService = %v, want an error", name, s)
		} else if tt.secret != "" && strings.Contains(err.Error(), tt.secret) {
			t.Errorf("%s: the error tells the secret", name)
		}
	}
	if s, err := NewService("", "", ""); s != nil || err != nil {
		t.Errorf("NewService without settings = %v, %v; want nil", s, err)
	}
}

func TestIsKey(t *testing.T) {
	t.Parallel()

	own := keyring.GenerateKey()
	s := mustService(t, "", publicPEM(t, own.Public()))
	if !s.IsKey(own.Public()) || s.IsKey(keyring.GenerateKey().Public()) ||
		mustService(t, secret, "").IsKey(own.Public()) {
		t.Error("IsKey does not tell the service's key from others")
	}
}
