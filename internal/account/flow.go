package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"stoa/internal/account/federated"
	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
)

// FlowStart is the form to go to a provider.
type FlowStart struct {
	Mode     FlowMode `json:"mode"`
	ReturnTo string   `json:"returnTo"`
}

// Issues returns what is wrong with in.
func (in FlowStart) Issues() errs.Issues {
	var f faults
	if f.Require("mode", string(in.Mode)) {
		f.OneOf("mode", string(in.Mode), string(FlowSignIn), string(FlowLink), string(FlowReauth))
	}
	return f.Issues
}

// Caller is who sends a request: a user in a session. The zero Caller is nobody.
type Caller struct{ UserID, SessionID string }

// BeginFlow sends a browser to a provider. It returns the address there, and what the browser's cookie is to hold. A
// flow for a session is for that of by only. The error is ErrNoProvider, ErrToken, ErrProvider, that of RequireRecent,
// ErrUnproven, ErrStaffMethod or ErrNotByProvider.
func (s *Service) BeginFlow(
	ctx context.Context, slug string, in FlowStart, by Caller,
) (address, cookie string, err error) {
	p, err := s.enabled(ctx, s.Store, func(p Provider) bool { return p.Slug == slug })
	if err != nil {
		return "", "", err
	}
	f := Flow{ProviderID: p.ID, Mode: in.Mode, ReturnTo: in.ReturnTo, CreatedAt: s.Now(), Nonce: rand.Text()}
	if in.Mode != FlowSignIn {
		if f.Generation, err = s.mayBegin(ctx, p, in.Mode, by); err != nil {
			return "", "", err
		}
		f.UserID, f.SessionID = by.UserID, by.SessionID
	}
	state, verifier := newResetToken(), newResetToken()
	cookie = newResetToken()
	f.State, f.Cookie = ids.HashLinkToken(state), ids.HashLinkToken(cookie)
	f.Verifier = s.VerifierBox.Seal([]byte(verifier), f.State)
	secrets := federated.Secrets{State: state, Nonce: f.Nonce, Verifier: verifier}
	to, err := s.described(p)
	if err != nil {
		return "", "", err
	}
	if address, err = s.Federated.Begin(ctx, to, secrets, in.Mode == FlowReauth); err != nil {
		return "", "", ErrProvider.Because(err)
	}
	return address, cookie, s.Store.CreateFlow(ctx, f)
}

// mayBegin returns the generation of a user who may begin a flow to p for their session.
func (s *Service) mayBegin(ctx context.Context, p Provider, mode FlowMode, by Caller) (int64, error) {
	if by.SessionID == "" {
		return 0, ErrToken
	}
	c, err := s.Store.User(ctx, by.UserID)
	if err != nil {
		return 0, noUser(err)
	}
	if mode == FlowLink {
		if err := s.RequireRecent(ctx, by.UserID, by.SessionID); err != nil {
			return 0, err
		}
		if err := s.mayAdd(c); err != nil {
			return 0, err
		}
	}
	if !p.opensTo(c.User) {
		return 0, ErrStaffMethod
	}
	if mode == FlowReauth {
		if err := s.provesElsewhere(ctx, s.Store, c); err != nil {
			return 0, err
		}
	}
	return c.Generation, nil
}

// provesElsewhere returns ErrNotByProvider for a user who has a password or a second factor: a proof at a provider
// would pass those by.
func (s *Service) provesElsewhere(ctx context.Context, st Store, c Credentials) error {
	f, err := s.factorsOf(ctx, st, c.ID)
	if err != nil {
		return err
	}
	if c.PasswordHash != "" || f.Any() {
		return ErrNotByProvider
	}
	return nil
}

// enabled returns the provider that which picks, or ErrNoProvider if it signs nobody in.
func (s *Service) enabled(ctx context.Context, st Store, which func(Provider) bool) (Provider, error) {
	if s.Federated == nil {
		return Provider{}, ErrNoProvider
	}
	return s.findProvider(ctx, st, func(p Provider) bool { return p.Enabled && which(p) })
}

// described returns p as package federated needs it.
func (s *Service) described(p Provider) (federated.Provider, error) {
	to := federated.Provider{
		Kind: p.Kind, Issuer: p.Issuer, ClientID: p.ClientID, Scopes: p.Scopes, VerifiesAddresses: p.VerifiesAddresses,
		RedirectURI: s.RedirectURI(p.Slug),
	}
	if p.Sealed == "" {
		return to, nil
	}
	secret, err := s.ProviderBox.Open(p.Sealed, p.ID)
	to.Secret = string(secret)
	return to, err
}

// RedirectURI is where browsers come back to from a provider. It is the provider's own, so that no other one can send
// them there.
func (s *Service) RedirectURI(slug string) string {
	return s.PublicURL + "/auth/oidc/" + slug + "/callback"
}

// Arrival is what a browser brings back from a provider.
type Arrival struct {
	State, Code, Issuer string
}

// ArriveFlow keeps who came back from a provider, in the browser with that cookie, for CompleteFlow. It returns where
// the pages go on. The error is ErrFlow or ErrProvider.
func (s *Service) ArriveFlow(ctx context.Context, slug, cookie string, a Arrival) (returnTo string, err error) {
	f, err := s.Store.FlowOf(ctx, ids.HashLinkToken(cookie))
	if errs.KindOf(err) == errs.NotFound ||
		err == nil && (!f.live(s.Now()) || f.Result != "" || !same(f.State, ids.HashLinkToken(a.State))) {
		return "", ErrFlow
	} else if err != nil {
		return "", err
	}
	p, err := s.enabled(ctx, s.Store, func(p Provider) bool { return p.ID == f.ProviderID && p.Slug == slug })
	if errs.KindOf(err) == errs.NotFound {
		return "", ErrFlow // or the answer of another provider
	} else if err != nil {
		return "", err
	}
	sealed, err := s.arrived(ctx, p, f, a)
	if err == nil {
		err = s.Store.KeepResult(ctx, f.State, sealed)
		if errs.KindOf(err) == errs.NotFound {
			err = ErrFlow
		}
		return f.ReturnTo, err
	}
	if errs.KindOf(err) != errs.Invalid {
		return "", err
	}
	return "", s.endWith(ctx, f, err)
}

// endWith ends a flow in a transaction of its own, whatever comes next, and returns the error with which it ends.
func (s *Service) endWith(ctx context.Context, f Flow, end error) error {
	if _, err := s.Store.TakeFlow(ctx, f.State); ignore(err, errs.NotFound) != nil {
		return err
	}
	return end
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// arrived asks a provider who came back, and returns it sealed. The error is ErrProvider.
func (s *Service) arrived(ctx context.Context, p Provider, f Flow, a Arrival) (string, error) {
	if a.Code == "" {
		return "", ErrProvider
	}
	verifier, err := s.VerifierBox.Open(f.Verifier, f.State)
	if err != nil {
		return "", err
	}
	to, err := s.described(p)
	if err != nil {
		return "", err
	}
	who, err := s.Federated.Finish(ctx, to, federated.Secrets{Nonce: f.Nonce, Verifier: string(verifier)},
		federated.Arrival{Code: a.Code, Issuer: a.Issuer})
	if err != nil {
		return "", ErrProvider.Because(err)
	}
	if !validEmail(who.Email) { // it counts as none
		who.Email, who.Authoritative = "", false
	}
	if len(p.AllowedDomains) > 0 && !slices.Contains(p.AllowedDomains, domainOf(who.Email)) {
		return "", ErrProvider.Because(errDomain)
	}
	return s.sealResult(f, flowResult{Identity: who}), nil
}

var errDomain = errors.New("the address is of no allowed domain")

// domainOf returns the domain of an address as AllowedDomains have it.
func domainOf(email string) string {
	return strings.ToLower(email[strings.LastIndexByte(email, '@')+1:])
}

// flowResult is who came back from a provider, and what they did since.
type flowResult struct {
	federated.Identity

	// Asked is the address to which a code was mailed, if any was, and Proven says that it came back.
	Asked  string
	Proven bool
	// Link says that they want to link the account that has the address, and LinkTo whose it is once only its second
	// step is due.
	Link   bool
	LinkTo string
}

// address returns the address that they proved, or that the provider's word is enough for; empty for none.
func (r flowResult) address() string {
	switch {
	case r.Proven:
		return r.Asked
	case r.Authoritative:
		return r.Email
	}
	return ""
}

func (s *Service) sealResult(f Flow, r flowResult) string {
	raw, _ := json.Marshal(r) // texts, flags and a time: it cannot fail
	return s.ResultBox.Seal(raw, f.State)
}

func (s *Service) openResult(f Flow) (r flowResult, err error) {
	if f.Result == "" { // they did not come back
		return r, ErrFlow
	}
	raw, err := s.ResultBox.Open(f.Result, f.State)
	if err != nil {
		return r, err
	}
	err = json.Unmarshal(raw, &r)
	return r, err
}
