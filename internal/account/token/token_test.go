package token

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"stoa/internal/trust/keyring"
)

var t0 = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

var (
	userClaims = Claims{
		UserID: "u1", Email: "ada@example.com", Role: "USER", SessionID: "s1", ID: "j1", IssuedAt: t0,
		ExpiresAt: t0.Add(time.Hour),
	}
	refreshClaims = Claims{UserID: "u1", SessionID: "s1", ID: "j2", IssuedAt: t0, ExpiresAt: t0.Add(time.Hour)}
	pluginClaims  = Claims{Subject: "i1", ID: "j3", IssuedAt: t0, ExpiresAt: t0.Add(time.Hour)}
)

func mustSign(tb testing.TB, key keyring.Key, kind Kind, c Claims) string {
	tb.Helper()
	raw, err := Sign(key, kind, c)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// only finds one key.
func only(key keyring.Key) func(string) (ed25519.PublicKey, error) {
	return func(kid string) (ed25519.PublicKey, error) {
		if kid != key.ID {
			return nil, ErrInvalid
		}
		return key.Public(), nil
	}
}

// forge signs a token of any form with an Ed25519 key.
func forge(tb testing.TB, key keyring.Key, header, claims map[string]any) string {
	tb.Helper()
	text := part(tb, header) + "." + part(tb, claims)
	return text + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(key.Private, []byte(text)))
}

func part(tb testing.TB, v any) string {
	tb.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// with returns m with some entries changed; nil removes one.
func with(m map[string]any, change map[string]any) map[string]any {
	m = maps.Clone(m)
	for k, v := range change {
		if m[k] = v; v == nil {
			delete(m, k)
		}
	}
	return m
}

func TestTokensHaveTheDocumentedClaims(t *testing.T) {
	t.Parallel()

	key := keyring.GenerateKey()
	iat, exp := float64(t0.Unix()), float64(t0.Add(time.Hour).Unix())
	for _, tt := range []struct {
		kind   Kind
		claims Claims
		want   map[string]any
	}{
		{Access, userClaims, map[string]any{
			"userId": "u1", "email": "ada@example.com", "role": "USER", "sid": "s1",
			"jti": "j1", "iat": iat, "exp": exp,
		}},
		{Refresh, refreshClaims, map[string]any{
			"userId": "u1", "type": "refresh", "sid": "s1", "jti": "j2", "iat": iat,
			"exp": exp,
		}},
		{Plugin, pluginClaims, map[string]any{"sub": "i1", "aud": "stoa:plugin", "jti": "j3", "iat": iat, "exp": exp}},
	} {
		t.Run(string(tt.kind), func(t *testing.T) {
			t.Parallel()

			raw := mustSign(t, key, tt.kind, tt.claims)
			parts := strings.Split(raw, ".")
			for i, want := range []map[string]any{{"alg": "EdDSA", "typ": string(tt.kind), "kid": key.ID}, tt.want} {
				b, err := base64.RawURLEncoding.DecodeString(parts[i])
				var got map[string]any
				if err = errors.Join(err, json.Unmarshal(b, &got)); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("part %d (-want +got):\n%s", i, diff)
				}
			}
			got, err := Parse(raw, tt.kind, t0, only(key))
			if diff := cmp.Diff(tt.claims, got); err != nil || diff != "" {
				t.Errorf("Parse: %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// The grace of a replaced refresh token rests on this.
func TestTheSameClaimsGiveTheSameToken(t *testing.T) {
	t.Parallel()

	key := keyring.GenerateKey()
	again, err := keyring.KeyFromSeed(key.Seed())
	if err != nil {
		t.Fatal(err)
	}
	want := mustSign(t, key, Refresh, refreshClaims)
	for range 20 {
		if got := mustSign(t, again, Refresh, refreshClaims); got != want {
			t.Fatalf("two tokens for the same claims:\n%s\n%s", got, want)
		}
	}
}

func TestKindsAreNotInterchangeable(t *testing.T) {
	t.Parallel()

	key := keyring.GenerateKey()
	raw := map[Kind]string{
		Access: mustSign(t, key, Access,
			userClaims), Refresh: mustSign(t, key, Refresh, refreshClaims), Plugin: mustSign(t, key, Plugin, pluginClaims),
	}
	for is, token := range raw {
		for due := range raw {
			if _, err := Parse(token, due, t0, only(key)); (err == nil) != (is == due) {
				t.Errorf("%s where %s is due: %v", is, due, err)
			}
		}
	}
}

func TestParseRefusesForgedTokens(t *testing.T) {
	t.Parallel()

	key, other := keyring.GenerateKey(), keyring.GenerateKey()
	header := map[string]any{"alg": "EdDSA", "typ": "at+jwt", "kid": key.ID}
	claims := map[string]any{
		"userId": "u1", "email": "ada@example.com", "role": "USER", "sid": "s1", "jti": "j1", "iat": t0.Unix(),
		"exp": t0.Add(time.Hour).Unix(),
	}
	ok := forge(t, key, header, claims)
	if _, err := Parse(ok, Access, t0, only(key)); err != nil {
		t.Fatalf("the token all others are made from: %v", err)
	}
	hs256 := func(secret []byte) string {
		text := part(t, with(header, map[string]any{"alg": "HS256"})) + "." + part(t, claims)
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(text))
		return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	jwk := keyring.PublicJWK(other.Public())
	head := func(change map[string]any) string { return forge(t, key, with(header, change), claims) }
	body := func(change map[string]any) string { return forge(t, key, header, with(claims, change)) }
	none := part(t, with(header, map[string]any{"alg": "none"})) + "." + part(t, claims) + "."
	for name, raw := range map[string]string{
		"nothing":        "",
		"not a token":    "a.b.c",
		"too long":       ok + strings.Repeat("A", MaxLen),
		"algorithm none": none,
		"algorithm None": strings.Replace(none, part(t, with(header, map[string]any{"alg": "none"})),
			part(t, with(header, map[string]any{"alg": "None"})), 1),
		"HS256 under the public key":        hs256(key.Public()),
		"HS256 under the public key in JWK": hs256([]byte(keyring.PublicJWK(key.Public()).X)),
		"algorithm said to be another":      head(map[string]any{"alg": "ES256"}),
		"no signature":                      ok[:strings.LastIndexByte(ok, '.')+1],
		"another key under our kid":         forge(t, other, header, claims),
		"another key under its own kid":     forge(t, other, with(header, map[string]any{"kid": other.ID}), claims),
		"another key, given in the header": forge(t, other, with(header, map[string]any{"kid": other.ID, "jwk": jwk}),
			claims),
		"no kid":                               head(map[string]any{"kid": nil}),
		"kid that is no string":                head(map[string]any{"kid": 1}),
		"no typ":                               head(map[string]any{"typ": nil}),
		"typ JWT":                              head(map[string]any{"typ": "JWT"}),
		"typ in another case":                  head(map[string]any{"typ": "AT+JWT"}),
		"typ in full":                          head(map[string]any{"typ": "application/at+jwt"}),
		"an extension that must be understood": head(map[string]any{"crit": []string{"b64"}, "b64": false}),
		"no expiry":                            body(map[string]any{"exp": nil}),
		"no issue time":                        body(map[string]any{"iat": nil}),
		"expired":                              body(map[string]any{"exp": t0.Add(-Leeway).Unix()}),
		"issued in the future":                 body(map[string]any{"iat": t0.Add(Leeway + time.Second).Unix()}),
		"no user":                              body(map[string]any{"userId": nil}),
		"no session":                           body(map[string]any{"sid": nil}),
		"no id":                                body(map[string]any{"jti": nil}),
		"no role":                              body(map[string]any{"role": nil}),
		"type refresh":                         body(map[string]any{"type": "refresh"}),
		"audience plugin":                      body(map[string]any{"aud": "stoa:plugin"}),
		"a claim of another type":              body(map[string]any{"role": 1}),
		"padding":                              ok + "=",
		"text after it":                        ok + ".x",
		"another spelling of the last bits":    ok[:len(ok)-1] + respell(ok[len(ok)-1]),
	} {
		if _, err := Parse(raw, Access, t0, only(key)); !errors.Is(err, ErrInvalid) || err.Error() != ErrInvalid.Error() {
			t.Errorf("%s: Parse = %v, want bare ErrInvalid", name, err)
		}
	}
}

// respell returns another last character that decodes to the same 64 bytes if
// the bits beyond them are not looked at.
func respell(c byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[strings.IndexByte(alphabet, c)^1])
}

func TestLeeway(t *testing.T) {
	t.Parallel()

	key := keyring.GenerateKey()
	raw := mustSign(t, key, Access, userClaims)
	for name, tt := range map[string]struct {
		now time.Time
		ok  bool
	}{
		"at the leeway before it is issued": {t0.Add(-Leeway), true},
		"a moment earlier":                  {t0.Add(-Leeway - time.Millisecond), false},
		"the last moment of the leeway":     {userClaims.ExpiresAt.Add(Leeway - time.Millisecond), true},
		"the end of the leeway":             {userClaims.ExpiresAt.Add(Leeway), false},
	} {
		if _, err := Parse(raw, Access, tt.now, only(key)); (err == nil) != tt.ok {
			t.Errorf("%s: Parse = %v, want accepted %v", name, err, tt.ok)
		}
	}
}

func TestParsePassesOnWhyAKeyIsMissing(t *testing.T) {
	t.Parallel()

	outage := errors.New("database down")
	raw := mustSign(t, keyring.GenerateKey(), Access, userClaims)
	_, err := Parse(raw, Access, t0, func(string) (ed25519.PublicKey, error) { return nil, outage })
	if !errors.Is(err, outage) {
		t.Errorf("Parse = %v, want the outage", err)
	}
}

func TestJWKVerifiesTokens(t *testing.T) {
	t.Parallel()

	key := keyring.GenerateKey()
	jwk := keyring.PublicJWK(key.Public())
	x, err := base64.RawURLEncoding.DecodeString(jwk.X)
	if err != nil {
		t.Fatal(err)
	}
	if jwk.ID != key.ID {
		t.Errorf("kid = %s, want %s", jwk.ID, key.ID)
	}
	// As another service does it, with a library of its own choice.
	_, err = jwt.Parse(mustSign(t, key, Access, userClaims),
		func(*jwt.Token) (any, error) { return ed25519.PublicKey(x), nil },
		jwt.WithTimeFunc(func() time.Time { return t0 }), jwt.WithValidMethods([]string{"EdDSA"}))
	if err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	key, err := keyring.KeyFromSeed(make([]byte, 32))
	if err != nil {
		f.Fatal(err)
	}
	for _, kind := range []Kind{Access, Refresh, Plugin} {
		raw, err := Sign(key, kind, userClaims)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	service := &Service{issuer: "i", alg: "HS256", key: make([]byte, 32)}
	f.Fuzz(func(t *testing.T, raw string) {
		if subject, err := service.Verify(raw, t0); err == nil {
			t.Errorf("Verify accepted %q as %q", raw, subject)
		}
		for _, kind := range []Kind{Access, Refresh, Plugin} {
			c, err := Parse(raw, kind, t0, only(key))
			if err != nil {
				continue
			}
			// What is accepted is what we signed, to the letter.
			again, err := Sign(key, kind, c)
			if err != nil || again != raw {
				t.Errorf("Parse accepted %q, which Sign writes as %q (%v)", raw, again, err)
			}
		}
	})
}
