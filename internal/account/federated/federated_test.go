package federated_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"stoa/internal/account/federated"
	"stoa/internal/testkit/idptest"
)

// trip is one sign-in with a provider.
type trip struct {
	*idptest.Provider

	client *federated.Client
	of     federated.Provider
	now    time.Time
}

var secrets = federated.Secrets{State: "the state", Nonce: "the nonce", Verifier: strings.Repeat("v", 43)}

func begin(t *testing.T) *trip {
	t.Helper()
	p := idptest.Start(t)
	tr := &trip{Provider: p, now: time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC)}
	p.Now = func() time.Time { return tr.now }
	tr.client = federated.New(p.Client().Transport, time.Minute, func() time.Time { return tr.now })
	tr.of = federated.Provider{
		Kind: federated.OIDC, Issuer: p.URL, ClientID: idptest.ClientID, Secret: idptest.Secret,
		RedirectURI: "http://shop.example/back",
	}
	return tr
}

// finish goes to the provider and back.
func (tr *trip) finish(t *testing.T) (federated.Identity, error) {
	t.Helper()
	address, err := tr.client.Begin(t.Context(), tr.of, secrets, false)
	if err != nil {
		return federated.Identity{}, err
	}
	back := tr.Arrive(t, address).Query()
	if back.Get("state") != secrets.State {
		t.Errorf("state = %q", back.Get("state"))
	}
	return tr.client.Finish(t.Context(), tr.of, secrets, federated.Arrival{Code: back.Get("code"), Issuer: back.Get("iss")})
}

func TestAProviderSaysWhoSomebodyIs(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name   string
		person idptest.Claims
		trust  bool
		want   federated.Identity // without issuer
	}{
		{"no address", idptest.Claims{"sub": "7"}, false, federated.Identity{Subject: "7"}},
		{"an address that it does not know to be theirs", idptest.Claims{"sub": "7", "email": "a@b.example", "email_verified": false}, true, federated.Identity{Subject: "7"}},
		{"an address of which it says nothing", idptest.Claims{"sub": "7", "email": "a@b.example"}, true, federated.Identity{Subject: "7"}},
		{"yes as a text", idptest.Claims{"sub": "7", "email": "a@b.example", "email_verified": "true"}, true, federated.Identity{Subject: "7"}},
		{"a verified address", idptest.Claims{"sub": "7", "email": "a@b.example", "email_verified": true}, false, federated.Identity{Subject: "7", Email: "a@b.example"}},
		{"a verified address of a provider that is trusted", idptest.Claims{"sub": "7", "email": "a@b.example", "email_verified": true}, true, federated.Identity{Subject: "7", Email: "a@b.example", Authoritative: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			tr := begin(t)
			tr.Person, tr.of.VerifiesAddresses = tt.person, tt.trust
			got, err := tr.finish(t)
			tt.want.Issuer = tr.URL
			if err != nil || got != tt.want {
				t.Errorf("= %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

// lies are ID tokens, and answers around them, that are not to be believed.
func lies(t *testing.T) []lie {
	t.Helper()
	set := func(name string, value any) func(*trip) {
		return func(tr *trip) { tr.Token = func(c idptest.Claims) { c[name] = value } }
	}
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return []lie{
		{"another issuer", set("iss", "https://evil.example")},
		{"another client", set("aud", "other")},
		{"two clients without a party", set("aud", []string{idptest.ClientID, "other"})},
		{"another party", set("azp", "other")},
		{"two clients and another party", func(tr *trip) {
			tr.Token = func(c idptest.Claims) { c["aud"], c["azp"] = []string{idptest.ClientID, "other"}, "other" }
		}},
		{"another nonce", set("nonce", "another")},
		{"no nonce", func(tr *trip) { tr.Token = func(c idptest.Claims) { delete(c, "nonce") } }},
		{"expired", func(tr *trip) { tr.Token = func(c idptest.Claims) { c["exp"] = tr.now.Add(-time.Second).Unix() } }},
		{"too old", func(tr *trip) {
			tr.Token = func(c idptest.Claims) { c["iat"] = tr.now.Add(-10*time.Minute - time.Second).Unix() }
		}},
		{"from the future", func(tr *trip) { tr.Token = func(c idptest.Claims) { c["iat"] = tr.now.Add(2 * time.Minute).Unix() } }},
		{"nobody", set("sub", "")},
		{"a subject that is too long", set("sub", strings.Repeat("s", 256))},
		{"a subject that is a number", set("sub", 7)},
		{"an access token that is another", set("at_hash", "AAAA")},
		{"no signature", func(tr *trip) {
			tr.Raw = func(signed string) string {
				payload := strings.Split(signed, ".")[1]
				return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + payload + "."
			}
		}},
		{"the public key as a shared secret", func(tr *trip) {
			tr.About = func(c idptest.Claims) { c["id_token_signing_alg_values_supported"] = []string{"ES256", "HS256"} }
			tr.Raw = func(signed string) string {
				der, _ := x509.MarshalPKIXPublicKey(tr.Public().Key)
				return idptest.Sign(jose.SigningKey{Algorithm: jose.HS256, Key: der}, payloadOf(signed))
			}
		}},
		{"an algorithm that was not advertised", func(tr *trip) {
			tr.KeySet = func(w http.ResponseWriter, _ *http.Request) {
				_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: other.Public(), KeyID: "r"}}})
			}
			tr.Raw = func(signed string) string {
				return idptest.Sign(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: other, KeyID: "r"}}, payloadOf(signed))
			}
		}},
		{"a key that the issuer does not have", func(tr *trip) {
			tr.About = func(c idptest.Claims) { c["id_token_signing_alg_values_supported"] = []string{"ES256", "RS256"} }
			tr.Raw = func(signed string) string {
				return idptest.Sign(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: other, KeyID: "key-1"}}, payloadOf(signed))
			}
		}},
		{"a key with the name of the issuer's", func(tr *trip) {
			tr.Raw = func(signed string) string {
				return idptest.Sign(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: own, KeyID: "key-1"}}, payloadOf(signed))
			}
		}},
		{"no ID token", func(tr *trip) { tr.Raw = func(string) string { return "" } }},
		{"an ID token that is too long", func(tr *trip) { tr.Token = func(c idptest.Claims) { c["x"] = strings.Repeat("x", 64<<10) } }},
		{"nonsense", func(tr *trip) { tr.Raw = func(string) string { return "a.b.c" } }},
		{"userinfo about somebody else", func(tr *trip) {
			tr.UserInfo = idptest.Claims{"sub": "another", "email": "a@b.example", "email_verified": true}
		}},
		{"userinfo about nobody", func(tr *trip) { tr.UserInfo = idptest.Claims{"email": "a@b.example", "email_verified": true} }},
		{"an answer of another issuer", func(tr *trip) { tr.Answer = func(q url.Values) { q.Set("iss", "https://evil.example") } }},
		{"an answer that does not name the issuer as it should", func(tr *trip) {
			tr.About = func(c idptest.Claims) { c["authorization_response_iss_parameter_supported"] = true }
		}},
		{"a code of nothing", func(tr *trip) { tr.Answer = func(q url.Values) { q.Set("code", "another") } }},
	}
}

// lie is what a provider does differently from an honest one.
type lie struct {
	name string
	tell func(*trip)
}

// T86: an ID token that is not the issuer's, not for stoa, not of this sign-in or not of now is dead.
func TestIDTokensAreNotBelievedUnlessAllIsRight(t *testing.T) {
	t.Parallel()

	for _, tt := range lies(t) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			tr := begin(t)
			tt.tell(tr)
			if got, err := tr.finish(t); err == nil {
				t.Errorf("believed: %+v", got)
			}
		})
	}
}

func payloadOf(signed string) idptest.Claims {
	raw, _ := base64.RawURLEncoding.DecodeString(strings.Split(signed, ".")[1])
	var claims idptest.Claims
	_ = json.Unmarshal(raw, &claims)
	return claims
}

func TestWhatIsAtTheLimitIsBelieved(t *testing.T) {
	t.Parallel()

	for name, change := range map[string]func(*trip){
		"a token of ten minutes ago":     func(tr *trip) { tr.Token = func(c idptest.Claims) { c["iat"] = tr.now.Add(-10 * time.Minute).Unix() } },
		"a clock that is a minute ahead": func(tr *trip) { tr.Token = func(c idptest.Claims) { c["iat"] = tr.now.Add(time.Minute).Unix() } },
		"the longest subject":            func(tr *trip) { tr.Person = idptest.Claims{"sub": strings.Repeat("s", 255)} },
		"two clients and stoa as party": func(tr *trip) {
			tr.Token = func(c idptest.Claims) { c["aud"], c["azp"] = []string{idptest.ClientID, "other"}, idptest.ClientID }
		},
		"an issuer that the answer names": func(tr *trip) {
			tr.About = func(c idptest.Claims) { c["authorization_response_iss_parameter_supported"] = true }
			tr.Answer = func(q url.Values) { q.Set("iss", tr.URL) }
		},
		"keys of other kinds beside the right one": func(tr *trip) {
			tr.KeySet = func(w http.ResponseWriter, _ *http.Request) {
				raw, _ := tr.Public().MarshalJSON()
				_, _ = w.Write([]byte(`{"keys":[{"kty":"XYZ","kid":"key-1"},{"kty":"oct","k":"AAAA","kid":"key-1"},` + string(raw) + `]}`))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			tr := begin(t)
			change(tr)
			if _, err := tr.finish(t); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestUserinfoIsAskedOnceWhereTheTokenHasNoAddress(t *testing.T) {
	t.Parallel()

	tr := begin(t)
	tr.UserInfo = idptest.Claims{"sub": "person-1", "email": "a@b.example", "email_verified": true}
	got, err := tr.finish(t)
	if err != nil || got.Email != "a@b.example" || tr.Calls("/userinfo") != 1 {
		t.Errorf("= %+v, %v, after %d calls", got, err, tr.Calls("/userinfo"))
	}
}

// T87: what an issuer publishes must be its own, small, soon there, and no redirect.
func TestADiscoveryThatIsNotTheIssuersIsRefused(t *testing.T) {
	t.Parallel()

	set := func(name string, value any) func(*trip) {
		return func(tr *trip) { tr.About = func(c idptest.Claims) { c[name] = value } }
	}
	for _, tt := range []struct {
		name string
		lie  func(*trip)
	}{
		{"another issuer", set("issuer", "https://evil.example")},
		{"a slash more", func(tr *trip) { set("issuer", tr.URL+"/")(tr) }},
		{"keys elsewhere without TLS", set("jwks_uri", "http://evil.example/keys")},
		{"a token endpoint without TLS", set("token_endpoint", "http://10.0.0.1/token")},
		{"an authorization endpoint that is a script", set("authorization_endpoint", "javascript:alert(1)")},
		{"a userinfo endpoint without TLS", set("userinfo_endpoint", "http://evil.example/me")},
		{"a token endpoint with a name in it", set("token_endpoint", "https://user@evil.example/token")},
		{"algorithms with shared secrets only", set("id_token_signing_alg_values_supported", []string{"HS256", "none"})},
		{"no keys", func(tr *trip) {
			tr.KeySet = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"keys":[]}`)) }
		}},
		{"keys that redirect", func(tr *trip) {
			tr.KeySet = func(w http.ResponseWriter, r *http.Request) {
				if r.URL.RawQuery == "" {
					http.Redirect(w, r, "/keys?there", http.StatusFound)
					return
				}
				_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{tr.Public()}})
			}
		}},
		{"keys that are too long", func(tr *trip) {
			tr.KeySet = func(w http.ResponseWriter, _ *http.Request) {
				raw, _ := tr.Public().MarshalJSON()
				_, _ = w.Write([]byte(`{"keys":[` + string(raw) + `],"x":"` + strings.Repeat("x", 1<<20) + `"}`))
			}
		}},
		{"no JSON", func(tr *trip) {
			tr.KeySet = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }
		}},
		{"no answer", func(tr *trip) { tr.KeySet = http.NotFound }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			tr := begin(t)
			tt.lie(tr)
			if err := tr.client.Test(t.Context(), tr.of); err == nil {
				t.Error("Test found nothing wrong")
			}
			if got, err := tr.finish(t); err == nil {
				t.Errorf("believed: %+v", got)
			}
		})
	}
}

func TestKeysAreKeptAndNewOnesAreAskedForAtMostOnceAMinute(t *testing.T) {
	t.Parallel()

	tr := begin(t)
	for range 3 {
		if _, err := tr.finish(t); err != nil {
			t.Fatal(err)
		}
	}
	if n, m := tr.Calls("/keys"), tr.Calls("/.well-known/openid-configuration"); n != 1 || m != 1 {
		t.Errorf("asked %d times for the keys and %d times for the configuration", n, m)
	}
	tr.Rotate(t, "key-2")
	if _, err := tr.finish(t); err == nil {
		t.Error("a new key was asked for within the minute")
	}
	tr.now = tr.now.Add(time.Minute)
	if _, err := tr.finish(t); err != nil {
		t.Error(err)
	}
	if n := tr.Calls("/keys"); n != 2 {
		t.Errorf("asked %d times for the keys", n)
	}
	tr.now = tr.now.Add(10 * time.Minute)
	if _, err := tr.finish(t); err != nil {
		t.Error(err)
	}
	if n, m := tr.Calls("/keys"), tr.Calls("/.well-known/openid-configuration"); n != 3 || m != 2 {
		t.Errorf("after ten minutes: asked %d times for the keys and %d times for the configuration", n, m)
	}
}

func TestErrorsOfProvidersHoldNoSecrets(t *testing.T) {
	t.Parallel()

	tr := begin(t)
	tr.About = func(c idptest.Claims) { c["token_endpoint"] = tr.URL + "/elsewhere" }
	tr.Config.Handler = echo(tr.Config.Handler)
	_, err := tr.finish(t)
	if err == nil {
		t.Fatal("believed")
	}
	for _, secret := range []string{idptest.Secret, url.QueryEscape(idptest.Secret), secrets.Verifier, "code="} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q holds %q", err, secret)
		}
	}
}

// echo answers /elsewhere with an error that repeats what was sent.
func echo(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/elsewhere" {
			next.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.Copy(w, r.Body)
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	})
}

// elsewhere sends what is for real providers to a test's.
type elsewhere struct {
	host string
	next http.RoundTripper
}

func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Host", r.URL.Host)
	r.URL.Scheme, r.URL.Host = "http", e.host
	return e.next.RoundTrip(r)
}

// T93: somebody at GitHub is a number, whatever the name; of the addresses only a verified primary one counts.
func TestGitHubKnowsPeopleByANumber(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name, user, emails string
		want               federated.Identity
		fails              bool
	}{
		{"primary and verified", `{"id":42,"login":"ada"}`, `[{"email":"o@b.example","verified":true},{"email":"a@b.example","primary":true,"verified":true}]`, federated.Identity{Issuer: federated.GitHubIssuer, Subject: "42", Email: "a@b.example", Authoritative: true}, false},
		{"primary and not verified", `{"id":42,"login":"ada"}`, `[{"email":"a@b.example","primary":true}]`, federated.Identity{Issuer: federated.GitHubIssuer, Subject: "42"}, false},
		{"verified and not primary", `{"id":42}`, `[{"email":"a@b.example","verified":true}]`, federated.Identity{Issuer: federated.GitHubIssuer, Subject: "42"}, false},
		{"nobody", `{"login":"ada"}`, `[]`, federated.Identity{}, true},
		{"no list", `{"id":42}`, `{}`, federated.Identity{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.Header.Get("X-Host") + r.URL.Path {
				case "github.com/login/oauth/access_token":
					w.Header().Set("Content-Type", "application/json")
					_, _ = w.Write([]byte(`{"access_token":"t","token_type":"bearer"}`))
				case "api.github.com/user":
					_, _ = w.Write([]byte(tt.user))
				case "api.github.com/user/emails":
					_, _ = w.Write([]byte(tt.emails))
				}
			}))
			defer server.Close()
			c := federated.New(elsewhere{strings.TrimPrefix(server.URL, "http://"), server.Client().Transport}, time.Minute, time.Now)
			p := federated.Provider{Kind: federated.GitHub, Issuer: federated.GitHubIssuer, ClientID: "c", Secret: "s", RedirectURI: "https://shop.example/back"}
			address, err := c.Begin(t.Context(), p, secrets, false)
			if err != nil || !strings.HasPrefix(address, "https://github.com/login/oauth/authorize?") || !strings.Contains(address, "code_challenge_method=S256") {
				t.Errorf("Begin = %q, %v", address, err)
			}
			got, err := c.Finish(t.Context(), p, secrets, federated.Arrival{Code: "c"})
			if got != tt.want || (err != nil) != tt.fails {
				t.Errorf("= %+v, %v", got, err)
			}
		})
	}
}

// The provider's word counts for the mailboxes that Google runs, and for no others.
func TestGoogleIsAuthoritativeForItsOwnMailboxesOnly(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		email, domain string
		want          bool
	}{
		{"ada@gmail.com", "", true},
		{"ada@GoogleMail.com", "", true},
		{"ada@corp.example", "corp.example", true},
		{"ada@corp.example", "CORP.example", true},
		{"ada@corp.example", "", false},
		{"ada@corp.example", "other.example", false},
		{"ada@gmail.com.evil.example", "", false},
		{`"@gmail.com`, "", true},
		{"gmail.com@evil.example", "", false},
	} {
		tr := begin(t)
		tr.of.Kind = federated.Google
		tr.Person = idptest.Claims{"sub": "7", "email": tt.email, "email_verified": true, "hd": tt.domain}
		if got, err := tr.finish(t); err != nil || got.Authoritative != tt.want {
			t.Errorf("%s of %q: %+v, %v", tt.email, tt.domain, got, err)
		}
	}
}

// T79: an issuer of Entra for every tenant stands for anybody.
func TestIssuersAreOfOneTenant(t *testing.T) {
	t.Parallel()

	for issuer, ok := range map[string]bool{
		"https://accounts.google.com": true,
		"https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0": true,
		"https://login.microsoftonline.com/common/v2.0":                               false,
		"https://login.microsoftonline.com/organizations/v2.0":                        false,
		"https://LOGIN.microsoftonline.com/consumers/v2.0":                            false,
		"https://login.microsoftonline.com./common/v2.0":                              false,
		"https://login.microsoftonline.com/{tenantid}/v2.0":                           false,
		"https://login.microsoftonline.com/contoso.com/v2.0":                          false,
		"https://login.microsoftonline.com/":                                          false,
		"https://sts.windows.net/common/":                                             false,
		"https://id.example.com/realms/shop":                                          true,
		"http://localhost:9000":                                                       true,
		"http://127.0.0.1:9000/op":                                                    true,
		"http://id.example.com":                                                       false,
		"http://10.0.0.1":                                                             false,
		"https://id.example.com?x=1":                                                  false,
		"https://id.example.com#x":                                                    false,
		"https://user@id.example.com":                                                 false,
		"id.example.com":                                                              false,
		"javascript:alert(1)":                                                         false,
		"":                                                                            false,
	} {
		if err := federated.CheckIssuer(issuer); (err == nil) != ok || err != nil && !errors.Is(err, federated.ErrIssuer) {
			t.Errorf("CheckIssuer(%q) = %v", issuer, err)
		}
	}
}

// Whatever a token endpoint calls an ID token, it is no reason to fail otherwise than with an error, and believed only
// if the issuer signed it.
func FuzzIDToken(f *testing.F) {
	f.Add("a.b.c")
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Add("eyJhbGciOiJFUzI1NiIsImtpZCI6ImtleS0xIn0.e30.AAAA")
	p := idptest.Start(f)
	now := time.Now()
	client := federated.New(p.Client().Transport, time.Minute, func() time.Time { return now })
	of := federated.Provider{Kind: federated.OIDC, Issuer: p.URL, ClientID: idptest.ClientID, Secret: idptest.Secret, RedirectURI: "http://shop.example/back"}
	f.Fuzz(func(t *testing.T, raw string) {
		p.Change(func() { p.Raw = func(string) string { return raw } })
		address, err := client.Begin(t.Context(), of, secrets, false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := client.Finish(t.Context(), of, secrets, federated.Arrival{Code: p.Arrive(t, address).Query().Get("code")})
		if err == nil {
			t.Errorf("believed %q: %+v", raw, got)
		}
	})
}

// A document of an issuer is read or refused.
func FuzzMetadata(f *testing.F) {
	f.Add(`{"issuer":"x","keys":[{"kty":"EC"}]}`, `{"keys":[]}`)
	f.Fuzz(func(t *testing.T, about, keys string) {
		answers := roundTrip(func(r *http.Request) (*http.Response, error) {
			body := about
			if r.URL.Path == "/keys" {
				body = keys
			}
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})
		client := federated.New(answers, time.Minute, time.Now)
		_ = client.Test(t.Context(), federated.Provider{Kind: federated.OIDC, Issuer: "https://id.example"})
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
