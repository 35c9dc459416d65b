// Package federated lets people sign in with an account that they have elsewhere: it sends a browser to a provider
// (OpenID Connect, or GitHub), and verifies what the provider says of whoever comes back.
//
// It believes a provider who somebody is there, and nothing else: whether an address may name an account here is for
// package account. Nothing of a provider is kept but what the caller keeps.
package federated

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Kind is what protocol a provider speaks, and what is known of it beyond that.
type Kind string

// The kinds of providers.
const (
	Google Kind = "google"
	GitHub Kind = "github" // OAuth 2.0 and an API of its own
	OIDC   Kind = "oidc"   // any other OpenID provider
)

// The issuers of the kinds that have one only.
const (
	GoogleIssuer = "https://accounts.google.com"
	GitHubIssuer = "https://github.com"
)

const (
	githubAPI = "https://api.github.com"
	// maxAnswer is how many bytes a provider may answer.
	maxAnswer = 1 << 20
)

// Provider is what it takes to sign people in with a provider.
type Provider struct {
	Kind     Kind
	Issuer   string // exactly as the provider writes it
	ClientID string
	Secret   string
	// Scopes are asked for in addition to what signing in needs.
	Scopes []string
	// VerifiesAddresses says that the provider's word is enough that somebody reads mail to an address. It is for OIDC:
	// of the others it is known.
	VerifiesAddresses bool
	RedirectURI       string // where browsers come back to
}

// Secrets are those of one sign-in, random and used once.
type Secrets struct {
	State, Nonce string
	Verifier     string // of PKCE
}

// Identity is who somebody is at a provider.
type Identity struct {
	Issuer, Subject string
	// Email is the address that the provider knows to be theirs; empty for none.
	Email string
	// Authoritative says that the provider's word is enough that they read mail to Email.
	Authoritative bool
	// AuthenticatedAt is when the provider last saw a password or the like of them; zero if it does not say.
	AuthenticatedAt time.Time
}

// Client talks to providers. It is safe for concurrent use.
type Client struct {
	http *http.Client
	now  func() time.Time

	mu    sync.Mutex
	known map[string]*issuer
}

// New returns a Client that connects with transport, which must refuse addresses that no outsider may reach. within is
// how long one request may take.
func New(transport http.RoundTripper, within time.Duration, now func() time.Time) *Client {
	return &Client{
		http: &http.Client{
			Transport: limited{transport}, Timeout: within,
			// A provider that redirects would choose whom stoa calls.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		now: now, known: map[string]*issuer{},
	}
}

// Begin returns the address at the provider to which a browser goes. With again, whoever is signed in there proves once
// more to be.
func (c *Client) Begin(ctx context.Context, p Provider, s Secrets, again bool) (string, error) {
	config, err := c.config(ctx, p)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(s.Verifier)}
	if p.Kind != GitHub {
		options = append(options, oidc.Nonce(s.Nonce))
	}
	if again {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return config.AuthCodeURL(s.State, options...), nil
}

// Arrival is what a browser brings back from a provider.
type Arrival struct {
	Code string
	// Issuer is who the answer says to be from, if it says (RFC 9207).
	Issuer string
}

// Finish returns who the provider says that somebody is who came back with an answer to Begin. An error says what is
// wrong with what the provider answered; it holds no secrets.
func (c *Client) Finish(ctx context.Context, p Provider, s Secrets, a Arrival) (Identity, error) {
	config, err := c.config(ctx, p)
	if err != nil {
		return Identity{}, err
	}
	if err := c.from(ctx, p, a.Issuer); err != nil {
		return Identity{}, err
	}
	tokens, err := config.Exchange(c.with(ctx), a.Code, oauth2.VerifierOption(s.Verifier))
	if err != nil {
		return Identity{}, fmt.Errorf("token endpoint: %w", withoutBody(err))
	}
	if p.Kind == GitHub {
		return c.github(ctx, tokens.AccessToken)
	}
	return c.identity(ctx, p, s.Nonce, tokens)
}

// Test asks a provider for what it publishes, anew, and returns what is wrong with it. GitHub publishes nothing.
func (c *Client) Test(ctx context.Context, p Provider) error {
	if p.Kind == GitHub {
		return nil
	}
	c.mu.Lock()
	delete(c.known, p.Issuer)
	c.mu.Unlock()
	is, err := c.issuer(ctx, p.Issuer)
	if err != nil {
		return err
	}
	_, err = is.find(ctx, c, "")
	return err
}

// from checks whom an answer is from: one of another provider may have been sent here with this one's state.
func (c *Client) from(ctx context.Context, p Provider, said string) error {
	if p.Kind == GitHub {
		if said != "" && said != GitHubIssuer+"/login/oauth" && said != GitHubIssuer {
			return fmt.Errorf("the answer is from the issuer %q", said)
		}
		return nil
	}
	is, err := c.issuer(ctx, p.Issuer)
	switch {
	case err != nil:
		return err
	case said == "" && is.about.NamesIssuer:
		return errors.New("the answer does not name its issuer")
	case said != "" && said != p.Issuer:
		return fmt.Errorf("the answer is from the issuer %q", said)
	}
	return nil
}

// config returns what package oauth2 needs to know of a provider.
func (c *Client) config(ctx context.Context, p Provider) (*oauth2.Config, error) {
	config := &oauth2.Config{ClientID: p.ClientID, ClientSecret: p.Secret, RedirectURL: p.RedirectURI}
	if p.Kind == GitHub {
		config.Scopes = append([]string{"read:user", "user:email"}, p.Scopes...)
		config.Endpoint = oauth2.Endpoint{
			AuthURL: GitHubIssuer + "/login/oauth/authorize", TokenURL: GitHubIssuer + "/login/oauth/access_token",
			AuthStyle: oauth2.AuthStyleInParams,
		}
		return config, nil
	}
	is, err := c.issuer(ctx, p.Issuer)
	if err != nil {
		return nil, err
	}
	config.Scopes = append([]string{"openid", "email"}, p.Scopes...)
	config.Endpoint = oauth2.Endpoint{
		AuthURL: is.about.Authorization, TokenURL: is.about.Token, AuthStyle: is.about.style(),
	}
	if p.Secret == "" {
		config.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return config, nil
}

// with has package oauth2 use the client's own way to connect.
func (c *Client) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, c.http)
}

// withoutBody leaves out what a token endpoint answered, which may hold tokens.
func withoutBody(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return err
	}
	status := "no status"
	if refused.Response != nil {
		status = refused.Response.Status
	}
	return fmt.Errorf("%s, %q", status, refused.ErrorCode)
}

// local reports whether an address is one of the machine itself, where http needs no TLS.
func local(u *url.URL) bool {
	name := u.Hostname()
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || name == "127.0.0.1" || name == "::1"
}
