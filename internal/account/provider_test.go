package account_test

import (
	"fmt"
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/federated"
)

func TestFormsOfProvidersNameEveryFault(t *testing.T) {
	t.Parallel()

	many := func(n int, what string) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint(what, i, ".example"))
		}
		return list
	}
	secret := func(n int) *string { s := strings.Repeat("s", n); return &s }
	for _, tt := range []struct {
		name   string
		change func(f *account.ProviderForm)
		want   string // paths
	}{
		{"the smallest", func(*account.ProviderForm) {}, ""},
		{"nothing", func(f *account.ProviderForm) { *f = account.ProviderForm{} }, "kind name clientId"},
		{"another kind", func(f *account.ProviderForm) { f.Kind = "saml" }, "kind issuer"},
		{"the longest", func(f *account.ProviderForm) {
			f.Name, f.ClientID, f.Secret = strings.Repeat("é", 64), strings.Repeat("c", 512), secret(512)
			f.Issuer = "https://id.example/" + strings.Repeat("x", 512-len("https://id.example/"))
			f.Scopes, f.AllowedDomains = many(20, "s"), many(20, "d")
			f.Scopes[0] = strings.Repeat("s", 64)
		}, ""},
		{"one more of each", func(f *account.ProviderForm) {
			f.Name, f.ClientID, f.Secret = strings.Repeat("é", 65), strings.Repeat("c", 513), secret(513)
			f.Issuer = "https://id.example/" + strings.Repeat("x", 513-len("https://id.example/"))
			f.Scopes, f.AllowedDomains = many(21, "s"), many(21, "d")
			f.Scopes[0] = strings.Repeat("s", 65)
		}, "name clientId clientSecret issuer scopes scopes[0] allowedDomains"},
		{"lines", func(f *account.ProviderForm) { f.Name, f.ClientID = "a\nb", "c\x00" }, "name clientId"},
		{"no secret", func(f *account.ProviderForm) { f.Secret = secret(0) }, ""},
		{"scopes with spaces and quotes", func(f *account.ProviderForm) { f.Scopes = []string{"a b", `"`, "", "ok"} }, "scopes[0] scopes[1] scopes[2]"},
		{
			"domains that are none", func(f *account.ProviderForm) {
				f.AllowedDomains = []string{"a.example", "A.example", "@a.example", "", "a"}
			},
			"allowedDomains[1] allowedDomains[2] allowedDomains[3] allowedDomains[4]",
		},
		{"an issuer of every tenant", func(f *account.ProviderForm) { f.Issuer = "https://login.microsoftonline.com/common/v2.0" }, "issuer"},
		{"an issuer without TLS", func(f *account.ProviderForm) { f.Issuer = "http://id.example" }, "issuer"},
		{"an issuer of Google's", func(f *account.ProviderForm) { f.Kind, f.VerifiesAddresses = federated.Google, true }, "issuer verifiesAddresses"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			f := account.ProviderForm{Kind: federated.OIDC, Name: "Example", Issuer: "https://id.example", ClientID: "c"}
			tt.change(&f)
			var paths []string
			for _, i := range f.Issues().List() {
				paths = append(paths, i.Path)
			}
			if got := strings.Join(paths, " "); got != tt.want {
				t.Errorf("faults at %q, want %q", got, tt.want)
			}
		})
	}
	for slug, ok := range map[string]bool{
		"google": true, "a": true, "a-1": true, strings.Repeat("a", 40): true, strings.Repeat("a", 41): false,
		"": false, "A": false, "a_b": false, "-a": false, "a-": false, "a.b": false, "ä": false,
	} {
		if err := account.CheckProviderSlug(slug); (err == nil) != ok {
			t.Errorf("the slug %q: %v", slug, err)
		}
	}
}
