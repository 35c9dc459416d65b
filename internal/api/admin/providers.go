package admin

import (
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/web"
)

// provider is an identity provider as administrators see it. Its secret is never shown.
type provider struct {
	Slug              string        `json:"slug"`
	Kind              string        `json:"kind"`
	Name              string        `json:"name"`
	Issuer            string        `json:"issuer"`
	ClientID          string        `json:"clientId"`
	HasSecret         bool          `json:"hasSecret"`
	Scopes            []string      `json:"scopes"`
	Enabled           bool          `json:"enabled"`
	SignUp            bool          `json:"signUp"`
	Staff             bool          `json:"staff"`
	VerifiesAddresses bool          `json:"verifiesAddresses"`
	AllowedDomains    []string      `json:"allowedDomains"`
	RedirectURI       string        `json:"redirectUri"`
	Accounts          int           `json:"accounts"`
	OnlyWayIn         int           `json:"onlyWayIn"`
	CreatedAt         web.Timestamp `json:"createdAt"`
}

func (h *Handlers) newProvider(m account.ManagedProvider) provider {
	return provider{
		Slug: m.Slug, Kind: string(m.Kind), Name: m.Name, Issuer: m.Issuer, ClientID: m.ClientID, HasSecret: m.Sealed != "",
		Scopes: web.OrEmpty(m.Scopes), Enabled: m.Enabled, SignUp: m.SignUp, Staff: m.Staff,
		VerifiesAddresses: m.VerifiesAddresses, AllowedDomains: web.OrEmpty(m.AllowedDomains),
		RedirectURI: h.Accounts.RedirectURI(m.Slug), Accounts: m.Accounts, OnlyWayIn: m.Only,
		CreatedAt: web.Timestamp(m.CreatedAt),
	}
}

// ListProviders serves GET /api/v1/admin/identity-providers.
func (h *Handlers) ListProviders(w http.ResponseWriter, r *http.Request) error {
	list, err := h.Accounts.ListProviders(r.Context())
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, map[string]any{"items": web.Items(list, h.newProvider)})
	return nil
}

// GetProvider serves GET /api/v1/admin/identity-providers/{slug}.
func (h *Handlers) GetProvider(w http.ResponseWriter, r *http.Request) error {
	m, err := h.Accounts.ManagedProvider(r.Context(), r.PathValue("slug"))
	return h.writeProvider(w, m, err)
}

// PutProvider serves PUT /api/v1/admin/identity-providers/{slug}.
func (h *Handlers) PutProvider(w http.ResponseWriter, r *http.Request) error {
	if err := account.CheckProviderSlug(r.PathValue("slug")); err != nil {
		return err
	}
	in, err := web.ReadStrictly(w, r, account.ProviderForm.Issues)
	if err != nil {
		return err
	}
	m, err := h.Accounts.PutProvider(r.Context(), r.PathValue("slug"), in)
	return h.writeProvider(w, m, err)
}

// DeleteProvider serves DELETE /api/v1/admin/identity-providers/{slug}.
func (h *Handlers) DeleteProvider(w http.ResponseWriter, r *http.Request) error {
	m, err := h.Accounts.DeleteProvider(r.Context(), r.PathValue("slug"))
	return h.writeProvider(w, m, err)
}

func (h *Handlers) writeProvider(w http.ResponseWriter, m account.ManagedProvider, err error) error {
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, h.newProvider(m))
	return nil
}

// TestProvider serves POST /api/v1/admin/identity-providers/{slug}/test.
func (h *Handlers) TestProvider(w http.ResponseWriter, r *http.Request) error {
	fault, err := h.Accounts.TestProvider(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, struct {
		OK    bool   `json:"ok"`
		Fault string `json:"fault,omitempty"`
	}{fault == "", fault})
	return nil
}
