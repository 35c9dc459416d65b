// Package idptest gives tests an OpenID provider that says whatever a test wants: the truth, or a lie.
package idptest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// The client that a Provider knows.
const (
	ClientID = "stoa-client"
	Secret   = "a secret of the client"
)

// Claims are what a token or a document says.
type Claims = map[string]any

// Provider is an OpenID provider on this machine. Its fields may be changed between requests, with Change.
type Provider struct {
	*httptest.Server

	// Person is who is signed in at the provider.
	Person Claims

	// What it does differently from an honest provider; nil and zero: nothing.
	Token    func(Claims)               // changes an ID token before it is signed
	Raw      func(signed string) string // replaces the signed ID token
	About    func(Claims)               // changes the discovery document
	UserInfo Claims                     // what userinfo answers
	KeySet   http.HandlerFunc           // replaces the JWKS
	Answer   func(url.Values)           // changes the parameters with which a browser is sent back
	Now      func() time.Time

	mu      sync.Mutex
	key     *ecdsa.PrivateKey
	kid     string
	pending map[string]url.Values // of codes
	calls   map[string]int
}

// Start starts a provider, which ends with the test.
func Start(tb testing.TB) *Provider {
	tb.Helper()
	p := &Provider{
		Person: Claims{"sub": "person-1"}, Now: time.Now, pending: map[string]url.Values{}, calls: map[string]int{},
	}
	p.Rotate(tb, "key-1")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, _ *http.Request) { answer(w, p.UserInfo) })
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.calls[r.URL.Path]++
		mux.ServeHTTP(w, r)
	}))
	tb.Cleanup(p.Close)
	return p
}

// Change changes the provider between requests.
func (p *Provider) Change(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// Calls returns how often a path was asked for.
func (p *Provider) Calls(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[path]
}

// Rotate has the provider sign with a new key of that name.
func (p *Provider) Rotate(tb testing.TB, kid string) {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	p.Change(func() { p.key, p.kid = key, kid })
}

// Public is the key that verifies the provider's tokens.
func (p *Provider) Public() jose.JSONWebKey {
	return jose.JSONWebKey{Key: p.key.Public(), KeyID: p.kid, Algorithm: string(jose.ES256), Use: "sig"}
}

// Arrive goes to an address that stoa sent a browser to, as that browser, and returns where it is sent back to.
func (p *Provider) Arrive(tb testing.TB, address string) *url.URL {
	tb.Helper()
	client := &http.Client{
		Transport:     p.Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	r, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		tb.Fatal(err)
	}
	res, err := client.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	back, err := res.Location()
	if err != nil {
		tb.Fatalf("the provider answered %s: %v", res.Status, err)
	}
	return back
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	about := Claims{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"ES256"},
	}
	if p.UserInfo != nil {
		about["userinfo_endpoint"] = p.URL + "/userinfo"
	}
	if p.About != nil {
		p.About(about)
	}
	answer(w, about)
}

func (p *Provider) keys(w http.ResponseWriter, r *http.Request) {
	if p.KeySet != nil {
		p.KeySet(w, r)
		return
	}
	answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{p.Public()}})
}

// authorize signs Person in without asking.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "not a client of this provider", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.pending[code] = q
	back := url.Values{"code": {code}, "state": {q.Get("state")}}
	if p.Answer != nil {
		p.Answer(back)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusSeeOther)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, ok := r.BasicAuth()
	if name, err := url.QueryUnescape(secret); err == nil {
		secret = name
	}
	code := r.PostFormValue("code")
	q := p.pending[code]
	delete(p.pending, code) // each code works once
	print := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !ok || id != ClientID || secret != Secret || q == nil || q.Get("redirect_uri") != r.PostFormValue("redirect_uri") ||
		q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(print[:]) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	now := p.Now()
	claims := Claims{
		"iss": p.URL, "aud": ClientID, "exp": now.Add(time.Minute).Unix(), "iat": now.Unix(), "nonce": q.Get("nonce"),
	}
	if q.Get("max_age") != "" {
		claims["auth_time"] = now.Unix()
	}
	maps.Copy(claims, p.Person)
	if p.Token != nil {
		p.Token(claims)
	}
	signed := p.Sign(claims)
	if p.Raw != nil {
		signed = p.Raw(signed)
	}
	answer(w, Claims{"access_token": "an access token", "token_type": "Bearer", "id_token": signed})
}

// Sign signs claims as the provider's ID tokens are.
func (p *Provider) Sign(claims Claims) string {
	return Sign(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: p.key, KeyID: p.kid}}, claims)
}

// Sign signs claims with any key.
func Sign(key jose.SigningKey, claims Claims) string {
	signer, err := jose.NewSigner(key, nil)
	if err != nil {
		panic(err) // a fault of the test
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		panic(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return text
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
