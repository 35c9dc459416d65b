package platform

import (
	"encoding/json"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
)

// PublishEvent serves POST /api/v1/platform/events.
func (h *Handlers) PublishEvent(w http.ResponseWriter, r *http.Request) error {
	type request struct {
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	}

	in := installed(r)
	slug := in.Package.Manifest.Slug
	req, err := web.ReadJSON(w, r, func(req request) errs.Issues { return plugin.EventInput(req).Issues(slug) })
	if err != nil {
		return err
	}
	e, err := h.Plugins.Publish(r.Context(), in.Instance.ID, plugin.EventInput(req))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusAccepted, struct {
		ID string `json:"id"`
	}{e.ID})
	return nil
}
