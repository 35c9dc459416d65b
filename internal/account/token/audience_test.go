package token

import (
	"testing"

	"github.com/golang-jwt/jwt/v5"
)

// A token that an authorization server issued for another service is none for stoa.
func TestServiceTokensAreForTheAudience(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		aud    any
		strict bool // accepted with an audience
	}{
		"none":         {nil, false},
		"another":      {"https://other.example.com", false},
		"a longer one": {"https://shop.example.com/x", false},
		"other case":   {"https://SHOP.example.com", false},
		"a number":     {7, false},
		"the one":      {"https://shop.example.com", true},
		"in a list":    {[]string{"a", "https://shop.example.com"}, true},
		"not in it":    {[]string{"a", "b"}, false},
	} {
		claims := serviceClaims()
		if tt.aud != nil {
			claims["aud"] = tt.aud
		}
		raw := signService(t, jwt.SigningMethodHS256, []byte(secret), nil, claims)
		s := mustService(t, secret, "")
		if err := s.RequireAudience("https://shop.example.com"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Verify(raw, t0); (err == nil) != tt.strict {
			t.Errorf("%s: Verify = %v, want accepted: %v", name, err, tt.strict)
		}
	}
	var off *Service
	if err := off.RequireAudience("x"); err == nil {
		t.Error("an audience without an issuer is accepted")
	}
	if err := off.RequireAudience(""); err != nil {
		t.Errorf("no audience and no issuer: %v", err)
	}
}
