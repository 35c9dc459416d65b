package token

import (
	"errors"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"stoa/internal/trust/keyring"
)

func actedClaims() Claims {
	c := userClaims
	c.Actor = "staff"
	return c
}

// Release 0.1.0 ignores the claim act, so the typ must keep it from taking the token for the user's own.
func TestAReleaseWithoutActRefusesTokensOfWhoActsForAUser(t *testing.T) {
	t.Parallel()

	key := keyring.GenerateKey()
	former := func(raw string) error { // the rule of Parse in 0.1.0
		_, err := parser(t0, jwt.SigningMethodEdDSA.Alg()).ParseWithClaims(raw, &payload{}, func(t *jwt.Token) (any, error) {
			kid, ok := t.Header["kid"].(string)
			if !ok || kid != key.ID || t.Header["typ"] != "at+jwt" || !onlyKnown(t.Header) {
				return nil, ErrInvalid
			}
			return key.Public(), nil
		})
		return err
	}
	if err := former(mustSign(t, key, Access, userClaims)); err != nil {
		t.Errorf("a user's own token: %v", err)
	}
	raw := mustSign(t, key, Access, actedClaims())
	if err := former(raw); !errors.Is(err, ErrInvalid) {
		t.Errorf("a token with act: %v, want it refused", err)
	}
	if got, err := Parse(raw, Access, t0, only(key)); err != nil || got != actedClaims() {
		t.Errorf("Parse = %+v, %v; want the claims", got, err)
	}
	if got, kid, ok := Own(raw, Access, t0, find(key)); !ok || got != actedClaims() || kid != key.ID {
		t.Errorf("Own = %+v, %s, %t; want the claims", got, kid, ok)
	}
}

func TestTheTypOfAnAccessTokenFitsWhetherSomebodyActs(t *testing.T) {
	t.Parallel()

	key := keyring.GenerateKey()
	claims := map[string]any{
		"userId": "u1", "role": "USER", "sid": "s1", "jti": "j1", "iat": t0.Unix(), "exp": t0.Add(time.Hour).Unix(),
	}
	acted := with(claims, map[string]any{"act": map[string]any{"sub": "staff"}})
	for _, tt := range []struct {
		name, typ string
		claims    map[string]any
		want      bool
	}{
		{"nobody acts", "at+jwt", claims, true},
		{"nobody acts, with the typ of who does", "it+jwt", claims, false},
		{"somebody acts", "it+jwt", acted, true},
		{"somebody acts, with the plain typ", "at+jwt", acted, false},
		{"act is null, with the typ of who acts", "it+jwt", with(claims, map[string]any{"act": nil}), false},
		{"nobody is named, with the typ of who acts", "it+jwt", with(claims, map[string]any{"act": map[string]any{}}), false},
	} {
		raw := forge(t, key, map[string]any{"alg": "EdDSA", "typ": tt.typ, "kid": key.ID}, tt.claims)
		if _, err := Parse(raw, Access, t0, only(key)); (err == nil) != tt.want {
			t.Errorf("%s: Parse = %v, want accepted %t", tt.name, err, tt.want)
		}
		for _, kind := range []Kind{Refresh, Plugin, typeActed} {
			if _, err := Parse(raw, kind, t0, only(key)); err == nil {
				t.Errorf("%s: taken as %s", tt.name, kind)
			}
		}
		if _, _, ok := Own(raw, Access, t0, find(key)); ok && !tt.want {
			t.Errorf("%s: Own takes it", tt.name)
		}
	}
}
