package shop

import (
	"context"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
)

// Activate serves POST /api/marketplace/products/{slug}/activate.
func (h *Handlers) Activate(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadInput(w, r, license.UseRequest.Issues)
	if err != nil {
		return err
	}
	used, err := h.Licenses.Activate(r.Context(), r.PathValue("slug"), in)
	switch {
	case err == nil:
		h.Count("activations", "activated")
	case errs.KindOf(err) != errs.Internal && !errs.IsValidation(err):
		h.Count("activations", "refused")
	}
	return writeLicense(r.Context(), w, used, err)
}

// Deactivate serves POST /api/marketplace/products/{slug}/deactivate.
func (h *Handlers) Deactivate(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadInput(w, r, license.UseRequest.Issues)
	if err != nil {
		return err
	}
	used, err := h.Licenses.Deactivate(r.Context(), r.PathValue("slug"), in)
	return writeLicense(r.Context(), w, used, err)
}

// writeLicense answers with an activated or deactivated license (contract 3.9), unless err is not nil.
func writeLicense(ctx context.Context, w http.ResponseWriter, g license.InUse, err error) error {
	type response struct {
		Success     bool        `json:"success"`
		Development bool        `json:"development,omitempty"`
		Trial       bool        `json:"trial,omitempty"`
		License     licenseInfo `json:"license"`
	}

	if err != nil {
		return err
	}
	web.NoStore(w) // it contains the key
	web.WriteJSON(w, http.StatusOK, response{
		Success: true, Development: g.Development, Trial: g.License.Trial, License: newLicenseInfo(ctx, g),
	})
	return nil
}

// ListActivations serves GET /api/marketplace/licenses/{id}/activations.
func (h *Handlers) ListActivations(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Activations []wire.Activation `json:"activations"`
		Pagination  web.Pagination    `json:"pagination"`
	}

	p, err := web.OnlyPage(r)
	if err != nil {
		return err
	}
	found, total, err := h.Licenses.ListOwnActivations(r.Context(), r.PathValue("id"), p.Limit, p.Offset())
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteJSON(w, http.StatusOK, response{
		Activations: web.Items(found, wire.NewActivation), Pagination: p.Of(total),
	})
	return nil
}

// FreeActivation serves DELETE /api/marketplace/licenses/{id}/activations/{instanceId}.
func (h *Handlers) FreeActivation(w http.ResponseWriter, r *http.Request) error {
	used, err := h.Licenses.DeactivateOwn(r.Context(), r.PathValue("id"), r.PathValue("instanceId"))
	return writeLicense(r.Context(), w, used, err)
}
