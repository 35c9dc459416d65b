package federated

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"
)

// How long what an issuer publishes is kept: as long as it says, within bounds.
const (
	keptUnsaid   = 10 * time.Minute
	keptAtLeast  = 5 * time.Minute
	keptAtMost   = 24 * time.Hour
	keysAgain    = time.Minute // after which a key that is not known is asked for
	maxIssuers   = 64
	wellKnown    = "/.well-known/openid-configuration"
	maxKeysInSet = 64
)

// metadata is the part of an issuer's configuration that stoa uses (OpenID Connect Discovery 1.0, 3).
type metadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	UserInfo      string   `json:"userinfo_endpoint"`
	Keys          string   `json:"jwks_uri"`
	Algorithms    []string `json:"id_token_signing_alg_values_supported"`
	Methods       []string `json:"token_endpoint_auth_methods_supported"`
	NamesIssuer   bool     `json:"authorization_response_iss_parameter_supported"`
}

// style is how the token endpoint wants the client's secret. The default is that of the standard.
func (m metadata) style() oauth2.AuthStyle {
	if len(m.Methods) > 0 && !slices.Contains(m.Methods, "client_secret_basic") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// algorithms are those with which the issuer signs and that stoa accepts: all with a public key.
func (m metadata) algorithms() []jose.SignatureAlgorithm {
	var all []jose.SignatureAlgorithm
	for _, a := range []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.EdDSA} {
		if slices.Contains(m.Algorithms, string(a)) {
			all = append(all, a)
		}
	}
	return all
}

// check returns what is wrong with what an issuer says of itself.
func (m metadata) check(asked string) error {
	if m.Issuer != asked {
		return fmt.Errorf("the configuration is of the issuer %q, not of %q", m.Issuer, asked)
	}
	for _, e := range []struct{ name, value string }{
		{"authorization_endpoint", m.Authorization}, {"token_endpoint", m.Token}, {"jwks_uri", m.Keys},
	} {
		if err := checkEndpoint(asked, e.value); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	if m.UserInfo != "" {
		if err := checkEndpoint(asked, m.UserInfo); err != nil {
			return fmt.Errorf("userinfo_endpoint: %w", err)
		}
	}
	if len(m.algorithms()) == 0 {
		return fmt.Errorf("none of the algorithms %q is accepted: RS256, PS256, ES256 and EdDSA are", m.Algorithms)
	}
	return nil
}

// checkEndpoint checks an address that an issuer names. Only an issuer at http, on this machine, has such at http.
func checkEndpoint(issuer, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("%q is no address", address)
	}
	if u.Scheme == "https" || u.Scheme == "http" && strings.HasPrefix(issuer, "http://") && local(u) {
		return nil
	}
	return fmt.Errorf("%q must begin with https://", address)
}

// ErrIssuer says why an address is no issuer.
var ErrIssuer = errors.New("issuer")

// CheckIssuer returns an ErrIssuer for an address that cannot be an issuer, or that stands for more than one.
func CheckIssuer(issuer string) error {
	u, err := url.Parse(issuer)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "":
		return fmt.Errorf("%w: it must be an address like https://id.example.com, without a query", ErrIssuer)
	case u.Scheme != "https" && (u.Scheme != "http" || !local(u)):
		return fmt.Errorf("%w: it must begin with https://", ErrIssuer)
	case manyTenants(u):
		return fmt.Errorf("%w: it is for every tenant; use the address of one, with its id", ErrIssuer)
	}
	return nil
}

// manyTenants reports whether an issuer is that of Microsoft Entra for accounts of several tenants: any of their
// administrators chooses addresses.
func manyTenants(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if !entraHost().MatchString(host) {
		return false
	}
	tenant, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return !tenantID().MatchString(tenant)
}

var (
	entraHost = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(login\.microsoftonline\.(com|us|de)|` +
			`login\.partner\.microsoftonline\.cn|sts\.windows\.net)\.?$`)
	})
	tenantID = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	})
)

// issuer is what is known of one.
type issuer struct {
	about metadata
	until time.Time

	mu        sync.Mutex
	keys      []jose.JSONWebKey
	keysUntil time.Time
	keysAsked time.Time
}

// issuer returns what an issuer publishes, from memory if that is fresh.
func (c *Client) issuer(ctx context.Context, name string) (*issuer, error) {
	c.mu.Lock()
	is := c.known[name]
	c.mu.Unlock()
	if is != nil && c.now().Before(is.until) {
		return is, nil
	}
	fresh := &issuer{}
	kept, err := c.get(ctx, strings.TrimSuffix(name, "/")+wellKnown, "", &fresh.about)
	if err != nil {
		return nil, fmt.Errorf("discovery: %w", err)
	}
	if err := fresh.about.check(name); err != nil {
		return nil, fmt.Errorf("discovery: %w", err)
	}
	fresh.until = c.now().Add(kept)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxIssuers {
		clear(c.known) // those in use are back at their next sign-in
	}
	c.known[name] = fresh
	return fresh, nil
}

// find returns the issuer's keys with an id, or all if it is empty. A key that is not known may be new: it is asked
// for, at most once in keysAgain.
func (is *issuer) find(ctx context.Context, c *Client, id string) ([]jose.JSONWebKey, error) {
	is.mu.Lock()
	defer is.mu.Unlock()
	now := c.now()
	found := named(is.keys, id)
	if now.Before(is.keysUntil) && (len(found) > 0 || now.Before(is.keysAsked.Add(keysAgain))) {
		return found, nil
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	is.keysAsked = now
	kept, err := c.get(ctx, is.about.Keys, "", &set)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	if len(set.Keys) > maxKeysInSet {
		return nil, fmt.Errorf("keys: there are %d, more than %d", len(set.Keys), maxKeysInSet)
	}
	is.keys = nil
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		// Keys of other kinds are not for stoa, and no reason to refuse the rest.
		if k.UnmarshalJSON(raw) == nil && k.Valid() && k.IsPublic() && k.Use != "enc" {
			is.keys = append(is.keys, k)
		}
	}
	if len(is.keys) == 0 {
		return nil, errors.New("keys: there is none that verifies signatures")
	}
	is.keysUntil = now.Add(kept)
	return named(is.keys, id), nil
}

// named returns the keys with an id, or all if it is empty.
func named(keys []jose.JSONWebKey, id string) []jose.JSONWebKey {
	if id == "" {
		return keys
	}
	return slices.DeleteFunc(slices.Clone(keys), func(k jose.JSONWebKey) bool { return k.KeyID != id })
}

// get reads a JSON document, with a bearer token unless that is empty, and returns how long it may be kept.
func (c *Client) get(ctx context.Context, address, bearer string, into any) (time.Duration, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Accept", "application/json")
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	res, err := c.http.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s answered %s", address, res.Status)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", address, err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return 0, fmt.Errorf("%s answered no JSON as expected", address)
	}
	return kept(res.Header.Get("Cache-Control")), nil
}

// kept is how long an answer with that Cache-Control is kept.
func kept(cacheControl string) time.Duration {
	for part := range strings.SplitSeq(cacheControl, ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(part)), "=")
		if name != "max-age" {
			continue
		}
		if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 {
			return min(max(time.Duration(min(seconds, 1<<30))*time.Second, keptAtLeast), keptAtMost)
		}
	}
	return keptUnsaid
}

// limited cuts answers off that are too long.
type limited struct{ http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = &limitedBody{res.Body, maxAnswer}
	}
	return res, err
}

type limitedBody struct {
	io.ReadCloser
	left int64
}

var errLong = fmt.Errorf("the answer is longer than %d bytes", maxAnswer)

func (b *limitedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errLong
	}
	return n, err
}
