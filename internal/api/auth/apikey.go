package auth

import (
	"net/http"

	"stoa/internal/account/apikey"
	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
)

// ListKeys serves GET /auth/api-keys.
func (h *Handlers) ListKeys(w http.ResponseWriter, r *http.Request) error {
	list, err := h.Keys.Mine(r.Context(), reqctx.CallerFrom(r.Context()).UserID)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, map[string]any{"items": web.Items(list, wire.NewAPIKey)})
	return nil
}

// CreateKey serves POST /auth/api-keys.
func (h *Handlers) CreateKey(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, func(in apikey.Form) errs.Issues { return in.Issues(apikey.Personal, h.Keys.Now()) })
	if err != nil {
		return err
	}
	who := reqctx.CallerFrom(r.Context())
	made, err := h.Keys.CreateMine(r.Context(), who.UserID, who.SessionID, in)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusCreated, wire.NewMadeKey(made))
	return nil
}

// RenameKey serves PATCH /auth/api-keys/{id}.
func (h *Handlers) RenameKey(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, apikey.Name.Issues)
	if err != nil {
		return err
	}
	k, err := h.Keys.RenameMine(r.Context(), reqctx.CallerFrom(r.Context()).UserID, r.PathValue("id"), in)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, wire.NewAPIKey(k))
	return nil
}

// RevokeKey serves DELETE /auth/api-keys/{id}.
func (h *Handlers) RevokeKey(w http.ResponseWriter, r *http.Request) error {
	if err := h.Keys.RevokeMine(r.Context(), reqctx.CallerFrom(r.Context()).UserID, r.PathValue("id")); err != nil {
		return err
	}
	web.WriteDone(w, "The key is revoked.")
	return nil
}

// RotateKey serves POST /auth/api-keys/{id}/rotate.
func (h *Handlers) RotateKey(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	made, err := h.Keys.RotateMine(r.Context(), who.UserID, who.SessionID, r.PathValue("id"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusCreated, wire.NewMadeKey(made))
	return nil
}
