package extension

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/extension/plugin"
)

// GetSecret serves GET /api/v1/admin/plugins/{slug}/secret.
func (h *Handlers) GetSecret(w http.ResponseWriter, r *http.Request) error {
	secret, err := h.Plugins.Secret(r.Context(), r.PathValue("slug"))
	return writeSecret(w, secret, err)
}

// RotateSecret serves POST /api/v1/admin/plugins/{slug}/secret/rotate.
func (h *Handlers) RotateSecret(w http.ResponseWriter, r *http.Request) error {
	secret, err := h.Plugins.RotateSecret(r.Context(), r.PathValue("slug"))
	return writeSecret(w, secret, err)
}

// writeSecret answers with a package's signing secret, unless err is not nil.
func writeSecret(w http.ResponseWriter, s plugin.Secret, err error) error {
	type response struct {
		Secret         string        `json:"secret"`
		PreviousSecret string        `json:"previousSecret,omitempty"`
		PreviousUntil  web.Timestamp `json:"previousUntil,omitzero"`
	}

	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, response{
		Secret: s.Current, PreviousSecret: s.Previous, PreviousUntil: web.Timestamp(s.PreviousUntil),
	})
	return nil
}
