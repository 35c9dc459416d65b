package admin

import (
	"net/http"

	"stoa/internal/account/apikey"
	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
)

// listedKey is an API key as administrators see it.
type listedKey struct {
	wire.APIKey

	Kind   string `json:"kind"`
	Holder struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"holder"`
	// BeyondCreator says that the key may do what its creator no longer may.
	BeyondCreator bool `json:"beyondCreator"`
}

func newListedKey(l apikey.Listed) listedKey {
	out := listedKey{APIKey: wire.NewAPIKey(l.Key), Kind: "personal", BeyondCreator: l.BeyondCreator()}
	out.Holder.ID, out.Holder.Name = l.UserID, l.Holder
	if l.Kind() == apikey.Service {
		out.Kind, out.Holder.ID = "service", l.AccountID
	}
	return out
}

// ListAPIKeys serves GET /api/v1/admin/api-keys.
func (h *Handlers) ListAPIKeys(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "kind")
	p, kind := web.ReadPage(r, &faults), r.URL.Query().Get("kind")
	faults.OneOf("kind", kind, "personal", "service")
	if err := faults.Err(); err != nil {
		return err
	}
	list, total, err := h.Keys.List(r.Context(), apikey.Query{Kind: kind, Limit: p.Limit, Offset: p.Offset()})
	if err != nil {
		return err
	}
	web.WriteList(w, p, list, total, newListedKey)
	return nil
}

// GetAPIKey serves GET /api/v1/admin/api-keys/{id}.
func (h *Handlers) GetAPIKey(w http.ResponseWriter, r *http.Request) error {
	k, err := h.Keys.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, newListedKey(k))
	return nil
}

// RevokeAPIKey serves DELETE /api/v1/admin/api-keys/{id}.
func (h *Handlers) RevokeAPIKey(w http.ResponseWriter, r *http.Request) error {
	if err := h.Keys.Revoke(r.Context(), reqctx.CallerFrom(r.Context()).Rights, r.PathValue("id")); err != nil {
		return err
	}
	web.WriteDone(w, "The key is revoked.")
	return nil
}

// serviceAccount is a service account as answers have it.
type serviceAccount struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	CreatedAt web.Timestamp `json:"createdAt"`
	Keys      int           `json:"keys"`
}

func newServiceAccount(a apikey.Account) serviceAccount {
	return serviceAccount{ID: a.ID, Name: a.Name, CreatedAt: web.Timestamp(a.CreatedAt), Keys: a.Keys}
}

// ListServiceAccounts serves GET /api/v1/admin/service-accounts.
func (h *Handlers) ListServiceAccounts(w http.ResponseWriter, r *http.Request) error {
	list, err := h.Keys.Accounts(r.Context())
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, map[string]any{"items": web.Items(list, newServiceAccount)})
	return nil
}

// CreateServiceAccount serves POST /api/v1/admin/service-accounts.
func (h *Handlers) CreateServiceAccount(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, apikey.Name.Issues)
	if err != nil {
		return err
	}
	a, err := h.Keys.CreateAccount(r.Context(), reqctx.CallerFrom(r.Context()), in)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusCreated, newServiceAccount(a))
	return nil
}

// DeleteServiceAccount serves DELETE /api/v1/admin/service-accounts/{id}.
func (h *Handlers) DeleteServiceAccount(w http.ResponseWriter, r *http.Request) error {
	if err := h.Keys.DeleteAccount(r.Context(), reqctx.CallerFrom(r.Context()).Rights, r.PathValue("id")); err != nil {
		return err
	}
	web.WriteDone(w, "The service account is deleted, and its keys have ended.")
	return nil
}

// ListServiceKeys serves GET /api/v1/admin/service-accounts/{id}/keys.
func (h *Handlers) ListServiceKeys(w http.ResponseWriter, r *http.Request) error {
	list, err := h.Keys.KeysOf(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, map[string]any{"items": web.Items(list, wire.NewAPIKey)})
	return nil
}

// CreateServiceKey serves POST /api/v1/admin/service-accounts/{id}/keys.
func (h *Handlers) CreateServiceKey(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, func(in apikey.Form) errs.Issues { return in.Issues(apikey.Service, h.Keys.Now()) })
	if err != nil {
		return err
	}
	made, err := h.Keys.Create(r.Context(), reqctx.CallerFrom(r.Context()), r.PathValue("id"), in)
	return writeMade(w, made, err)
}

// RenameServiceKey serves PATCH /api/v1/admin/service-accounts/{id}/keys/{keyId}.
func (h *Handlers) RenameServiceKey(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, apikey.Name.Issues)
	if err != nil {
		return err
	}
	rights := reqctx.CallerFrom(r.Context()).Rights
	k, err := h.Keys.Rename(r.Context(), rights, r.PathValue("id"), r.PathValue("keyId"), in)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, wire.NewAPIKey(k))
	return nil
}

// RevokeServiceKey serves DELETE /api/v1/admin/service-accounts/{id}/keys/{keyId}.
func (h *Handlers) RevokeServiceKey(w http.ResponseWriter, r *http.Request) error {
	rights := reqctx.CallerFrom(r.Context()).Rights
	if err := h.Keys.RevokeOf(r.Context(), rights, r.PathValue("id"), r.PathValue("keyId")); err != nil {
		return err
	}
	web.WriteDone(w, "The key is revoked.")
	return nil
}

// RotateServiceKey serves POST /api/v1/admin/service-accounts/{id}/keys/{keyId}/rotate.
func (h *Handlers) RotateServiceKey(w http.ResponseWriter, r *http.Request) error {
	made, err := h.Keys.Rotate(r.Context(), reqctx.CallerFrom(r.Context()), r.PathValue("id"), r.PathValue("keyId"))
	return writeMade(w, made, err)
}

// writeMade answers with a key and its secret, unless err is not nil.
func writeMade(w http.ResponseWriter, made apikey.Made, err error) error {
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusCreated, wire.NewMadeKey(made))
	return nil
}
