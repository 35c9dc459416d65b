package account

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"stoa/internal/account/federated"
	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/trust/audit"
)

// Limits of what an administrator may say of a provider. Lengths are characters.
const (
	maxProviders       = 20
	maxProviderName    = 64
	maxProviderField   = 512
	maxProviderListing = 20 // scopes, and domains
)

var (
	providerSlug  = pattern(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)
	providerScope = pattern(`^[\x21\x23-\x5B\x5D-\x7E]{1,64}$`) // RFC 6749, 3.3
)

var (
	// ErrManyProviders is returned for one more than maxProviders.
	ErrManyProviders = errs.New(errs.Conflict, "TOO_MANY", "There are 20 identity providers. Delete one first.")
	// ErrIssuerTaken is returned for a provider whose issuer another one has.
	ErrIssuerTaken = errs.New(errs.Conflict, "CONFLICT", "Another identity provider has this issuer.")
)

// ProviderForm is what an administrator says of a provider. Absent lists and flags are empty and false.
type ProviderForm struct {
	Kind     federated.Kind `json:"kind"`
	Name     string         `json:"name"`
	Issuer   string         `json:"issuer"` // of federated.OIDC only
	ClientID string         `json:"clientId"`
	// Secret replaces the one that is stored; nil keeps it, unless Kind or Issuer change, and an empty one removes it.
	Secret            *string  `json:"clientSecret"`
	Scopes            []string `json:"scopes"`
	Enabled           bool     `json:"enabled"`
	SignUp            bool     `json:"signUp"`
	Staff             bool     `json:"staff"`
	VerifiesAddresses bool     `json:"verifiesAddresses"`
	AllowedDomains    []string `json:"allowedDomains"`
}

// Issues returns what is wrong with in.
func (in ProviderForm) Issues() errs.Issues {
	var f faults
	if f.Require("kind", string(in.Kind)) {
		f.OneOf("kind", string(in.Kind), string(federated.Google), string(federated.GitHub), string(federated.OIDC))
	}
	f.line("name", in.Name, maxProviderName)
	f.line("clientId", in.ClientID, maxProviderField)
	if in.Secret != nil && *in.Secret != "" {
		f.line("clientSecret", *in.Secret, maxProviderField)
	}
	in.issuerIssues(&f)
	if len(in.Scopes) > maxProviderListing {
		f.Add("scopes", errs.CodeOutOfRange, "scopes must have %d entries or fewer.", maxProviderListing)
	}
	for i, s := range in.Scopes {
		if !providerScope().MatchString(s) {
			f.Add(fmt.Sprintf("scopes[%d]", i), errs.CodeInvalid,
				"A scope has 1 to 64 printable characters without spaces, quotes and backslashes.")
		}
	}
	if len(in.AllowedDomains) > maxProviderListing {
		f.Add("allowedDomains", errs.CodeOutOfRange, "allowedDomains must have %d entries or fewer.", maxProviderListing)
	}
	for i, d := range in.AllowedDomains {
		if len(d) > maxEmail || !domain().MatchString(d) || d != strings.ToLower(d) {
			f.Add(fmt.Sprintf("allowedDomains[%d]", i), errs.CodeInvalid, "A domain is like example.com, in small letters.")
		}
	}
	return f.Issues
}

func (in ProviderForm) issuerIssues(f *faults) {
	switch {
	case in.Kind != federated.OIDC:
		if in.Issuer != "" {
			f.Add("issuer", errs.CodeInvalid, "issuer is for the kind oidc only: of the others it is known.")
		}
		if in.VerifiesAddresses {
			f.Add("verifiesAddresses", errs.CodeInvalid,
				"verifiesAddresses is for the kind oidc only: of the others it is known.")
		}
	case !f.Require("issuer", in.Issuer):
	case len(in.Issuer) > maxProviderField:
		f.Add("issuer", errs.CodeOutOfRange, "issuer must have %d characters or fewer.", maxProviderField)
	default:
		if err := federated.CheckIssuer(in.Issuer); err != nil {
			f.Add("issuer", errs.CodeInvalid, "%s.", err)
		}
	}
}

// issuer returns the issuer of what in describes.
func (in ProviderForm) issuer() string {
	switch in.Kind {
	case federated.Google:
		return federated.GoogleIssuer
	case federated.GitHub:
		return federated.GitHubIssuer
	case federated.OIDC:
	}
	return in.Issuer
}

// secretIssues returns what is wrong with leaving out the secret that is stored: with another kind or issuer it would
// go to another server, and whoever changes a provider may not be who knows its secret.
func (in ProviderForm) secretIssues(stored Provider) errs.Issues {
	var f faults
	if in.Secret == nil && stored.Sealed != "" && (in.Kind != stored.Kind || in.issuer() != stored.Issuer) {
		f.Require("clientSecret", "")
	}
	return f.Issues
}

// CheckProviderSlug returns an errs.NotFound error for what cannot name a provider.
func CheckProviderSlug(slug string) error {
	if !providerSlug().MatchString(slug) {
		return ErrNoProvider
	}
	return nil
}

// ManagedProvider is a provider as administrators see it: with how many accounts are linked to it, and how many of them
// have no other way in.
type ManagedProvider struct {
	Provider

	Accounts, Only int
}

// ListProviders returns all providers, by slug.
func (s *Service) ListProviders(ctx context.Context) ([]ManagedProvider, error) {
	all, err := s.Store.Providers(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]ManagedProvider, len(all))
	for i, p := range all {
		if list[i], err = s.managed(ctx, s.Store, p); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// EnabledProviders returns those that sign people in.
func (s *Service) EnabledProviders(ctx context.Context) ([]Provider, error) {
	if s.Federated == nil {
		return nil, nil
	}
	all, err := s.Store.Providers(ctx)
	return slices.DeleteFunc(all, func(p Provider) bool { return !p.Enabled }), err
}

func (s *Service) managed(ctx context.Context, st Store, p Provider) (m ManagedProvider, err error) {
	m.Provider = p
	m.Accounts, m.Only, err = st.CountIdentities(ctx, p.Issuer)
	return m, err
}

// findProvider returns the provider that which picks, or ErrNoProvider.
func (s *Service) findProvider(ctx context.Context, st Store, which func(Provider) bool) (Provider, error) {
	all, err := st.Providers(ctx)
	if err != nil {
		return Provider{}, err
	}
	i := slices.IndexFunc(all, which)
	if i < 0 {
		return Provider{}, ErrNoProvider
	}
	return all[i], nil
}

// provider returns the one with a slug, or ErrNoProvider.
func (s *Service) provider(ctx context.Context, st Store, slug string) (Provider, error) {
	return s.findProvider(ctx, st, func(p Provider) bool { return p.Slug == slug })
}

// ManagedProvider returns the one with a slug, or ErrNoProvider.
func (s *Service) ManagedProvider(ctx context.Context, slug string) (ManagedProvider, error) {
	p, err := s.provider(ctx, s.Store, slug)
	if err != nil {
		return ManagedProvider{}, err
	}
	return s.managed(ctx, s.Store, p)
}

// PutProvider stores a provider. The error is VALIDATION_ERROR, ErrNoProvider for an impossible slug, ErrIssuerTaken or
// ErrManyProviders.
func (s *Service) PutProvider(ctx context.Context, slug string, in ProviderForm) (m ManagedProvider, err error) {
	if err := CheckProviderSlug(slug); err != nil {
		return m, err
	}
	if err := in.Issues().Err(); err != nil {
		return m, err
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		all, err := tx.Providers(ctx)
		if err != nil {
			return err
		}
		p, action := Provider{ID: ids.New(), Slug: slug, CreatedAt: s.Now()}, audit.ProviderCreate
		if i := slices.IndexFunc(all, func(p Provider) bool { return p.Slug == slug }); i >= 0 {
			p, action = all[i], audit.ProviderUpdate
		} else if len(all) >= maxProviders {
			return ErrManyProviders
		}
		if err := in.secretIssues(p).Err(); err != nil {
			return err
		}
		s.fill(&p, in)
		if err := tx.PutProvider(ctx, p); errs.KindOf(err) == errs.Conflict {
			return ErrIssuerTaken
		} else if err != nil {
			return err
		}
		if err := s.recordProvider(ctx, tx, action, p); err != nil {
			return err
		}
		m, err = s.managed(ctx, tx, p)
		return err
	})
	return m, err
}

// fill sets what a form says of p.
func (s *Service) fill(p *Provider, in ProviderForm) {
	p.Kind, p.Name, p.ClientID = in.Kind, in.Name, in.ClientID
	p.Scopes, p.AllowedDomains = in.Scopes, in.AllowedDomains
	p.Enabled, p.SignUp, p.Staff, p.VerifiesAddresses = in.Enabled, in.SignUp, in.Staff, in.VerifiesAddresses
	p.Issuer = in.issuer()
	switch {
	case in.Secret == nil:
	case *in.Secret == "":
		p.Sealed = ""
	default:
		p.Sealed = s.ProviderBox.Seal([]byte(*in.Secret), p.ID)
	}
}

func (s *Service) recordProvider(ctx context.Context, tx Store, action audit.Action, p Provider) error {
	target := audit.Target{Type: "provider", ID: p.Slug}
	return tx.Record(ctx, audit.New(ctx, s.Now(), action, target, audit.Details{
		"kind": string(p.Kind), "issuer": p.Issuer, "enabled": p.Enabled, "signUp": p.SignUp, "staff": p.Staff,
	}))
}

// DeleteProvider deletes a provider, and returns it as it was. Accounts stay linked, and their users sign in with it
// again once a provider with the same issuer is there. The error is ErrNoProvider.
func (s *Service) DeleteProvider(ctx context.Context, slug string) (m ManagedProvider, err error) {
	err = s.Store.InTx(ctx, func(tx Store) error {
		p, err := s.provider(ctx, tx, slug)
		if err != nil {
			return err
		}
		if m, err = s.managed(ctx, tx, p); err != nil {
			return err
		}
		if err := tx.DeleteProvider(ctx, p.ID); err != nil {
			return err
		}
		return s.recordProvider(ctx, tx, audit.ProviderDelete, p)
	})
	return m, err
}

// TestProvider asks a provider for what it publishes, and returns what is wrong with it, or "". The error is
// ErrNoProvider.
func (s *Service) TestProvider(ctx context.Context, slug string) (fault string, err error) {
	p, err := s.provider(ctx, s.Store, slug)
	if err != nil {
		return "", err
	}
	to, err := s.described(p)
	if err != nil {
		return "", err
	}
	if err := s.Federated.Test(ctx, to); err != nil {
		return err.Error(), nil //nolint:nilerr // the fault is the answer
	}
	return "", nil
}
