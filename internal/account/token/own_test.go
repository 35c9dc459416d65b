package token

import (
	"crypto"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"stoa/internal/trust/keyring"
)

func find(keys ...keyring.Key) func(string) (keyring.Key, error) {
	return func(kid string) (keyring.Key, error) {
		for _, k := range keys {
			if k.ID == kid {
				return k, nil
			}
		}
		return keyring.Key{}, errors.New("unknown")
	}
}

// The successor of a refresh token is signed again and must come out the same, whichever version of stoa
// signed it first: so Sign writes what the JWT library makes of the same claims.
func TestSignWritesWhatTheLibraryWrites(t *testing.T) {
	t.Parallel()

	key := keyring.GenerateKey()
	for kind, c := range map[Kind]Claims{
		Access: {
			UserID: "u", Email: "<a&b>@exämple.com\u2028", Role: "ADMIN", SessionID: "s", ID: "j", IssuedAt: t0,
			ExpiresAt: t0.Add(time.Hour),
		},
		Refresh: {UserID: "u", SessionID: "s", ID: "j", IssuedAt: t0.Add(time.Millisecond), ExpiresAt: t0.Add(time.Hour)},
		Plugin:  {Subject: "i", ID: "j", IssuedAt: t0, ExpiresAt: t0.Add(time.Hour)},
	} {
		p := payload{
			members: members{
				UserID: c.UserID, Email: c.Email, Role: c.Role, Session: c.SessionID, Subject: c.Subject, ID: c.ID,
			},
			Issued: jwt.NewNumericDate(c.IssuedAt), Expires: jwt.NewNumericDate(c.ExpiresAt),
		}
		switch kind {
		case Access:
		case Refresh:
			p.Type = typeRefresh
		case Plugin:
			p.Audience = PluginAudience
		}
		library := jwt.NewWithClaims(jwt.SigningMethodEdDSA, p)
		library.Header["typ"], library.Header["kid"] = string(kind), key.ID
		want, err := library.SignedString(key.Private)
		if got := mustSign(t, key, kind, c); err != nil || got != want {
			t.Errorf("%s: Sign = %s, want %s (%v)", kind, got, want, err)
		}
	}
}

func TestOwnAcceptsWhatSignMadeAndParseAccepts(t *testing.T) {
	t.Parallel()

	key, other := keyring.GenerateKey(), keyring.GenerateKey()
	raw := mustSign(t, key, Access, userClaims)
	got, kid, ok := Own(raw, Access, t0, find(other, key))
	if !ok || got != userClaims || kid != key.ID {
		t.Errorf("Own = %+v, %s, %v; want the claims", got, kid, ok)
	}
	for name, now := range map[string]time.Time{
		"at the leeway before it is issued": t0.Add(-Leeway),
		"a moment earlier":                  t0.Add(-Leeway - time.Millisecond),
		"the last moment of the leeway":     userClaims.ExpiresAt.Add(Leeway - time.Millisecond),
		"the end of the leeway":             userClaims.ExpiresAt.Add(Leeway),
	} {
		_, err := Parse(raw, Access, now, only(key))
		if _, _, ok := Own(raw, Access, now, find(key)); ok != (err == nil) {
			t.Errorf("%s: Own = %v, Parse = %v", name, ok, err)
		}
	}
	forged := mustSign(t, keyring.Key{ID: key.ID, Private: other.Private}, Access, userClaims)
	head, body, _ := strings.Cut(raw, ".")
	for name, tt := range map[string]struct {
		raw  string
		kind Kind
		keys []keyring.Key
	}{
		"another kind":             {raw, Refresh, []keyring.Key{key}},
		"a withdrawn key":          {raw, Access, []keyring.Key{other}},
		"another key under our id": {forged, Access, []keyring.Key{key}},
		"no signature":             {raw[:strings.LastIndexByte(raw, '.')], Access, []keyring.Key{key}},
		"an empty signature":       {raw[:strings.LastIndexByte(raw, '.')+1], Access, []keyring.Key{key}},
		"text after it":            {raw + ".x", Access, []keyring.Key{key}},
		"another spelling":         {raw[:len(raw)-1] + respell(raw[len(raw)-1]), Access, []keyring.Key{key}},
		"other claims": {head + "." + part(t, map[string]any{"userId": "root"}) +
			body[strings.IndexByte(body, '.'):], Access, []keyring.Key{key}},
		"no role": {
			mustSign(t, key, Access,
				Claims{UserID: "u", SessionID: "s", ID: "j", IssuedAt: t0, ExpiresAt: t0.Add(time.Hour)}), Access,
			[]keyring.Key{key},
		},
		"nothing": {"", Access, []keyring.Key{key}},
	} {
		if _, _, ok := Own(tt.raw, tt.kind, t0, find(tt.keys...)); ok {
			t.Errorf("%s is accepted", name)
		}
	}
}

// Own never accepts what Parse refuses.
func FuzzOwnIsStricterThanParse(f *testing.F) {
	key, err := keyring.KeyFromSeed(make([]byte, 32))
	if err != nil {
		f.Fatal(err)
	}
	for _, kind := range []Kind{Access, Refresh} {
		head, err := unsigned(key.ID, kind, userClaims)
		if err != nil {
			f.Fatal(err)
		}
		h, b, _ := strings.Cut(head, ".")
		for _, part := range []string{h, b} {
			if text, err := base64.RawURLEncoding.DecodeString(part); err == nil {
				f.Add(text, text, true)
			}
		}
	}
	f.Fuzz(func(t *testing.T, header, body []byte, swap bool) {
		if swap && json.Valid(header) {
			header = []byte(headerStart + key.ID + headerType + string(Access) + headerEnd)
		}
		text := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(body)
		sig, err := key.Private.Sign(nil, []byte(text), crypto.Hash(0))
		if err != nil {
			t.Fatal(err)
		}
		raw := text + "." + base64.RawURLEncoding.EncodeToString(sig)
		got, _, ok := Own(raw, Access, t0, find(key))
		want, err := Parse(raw, Access, t0, only(key))
		if ok && (err != nil || got != want) {
			t.Errorf("Own accepts %s as %+v; Parse: %+v, %v", raw, got, want, err)
		}
	})
}
