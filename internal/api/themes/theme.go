// Package themes serves themes: which one the shop and the administration show, the
// files of packs, and what plugins publish for themes. Its rules are those of packages
// theme and plugin.
package themes

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"stoa/internal/api/web"
	"stoa/internal/extension/install"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/theme"
	"stoa/internal/shop/site"
)

// Handlers serve themes. All fields are required.
type Handlers struct {
	Themes    *theme.Service
	Plugins   *plugin.Service
	Installer *install.Installer
	Site      *site.Service
}

// applied is a theme that a target shows, or showed (contract 4.16).
type applied struct {
	Kind    string          `json:"kind"`
	Slug    string          `json:"slug"`
	Version string          `json:"version"`
	BaseURL string          `json:"baseUrl"`
	Entry   any             `json:"entry"` // of an app its program
	Config  json.RawMessage `json:"config"`
}

// newApplied returns nil for nil.
func newApplied(a *theme.Applied) *applied {
	if a == nil {
		return nil
	}
	m := a.Version.Manifest
	return &applied{
		Kind: string(a.Version.Kind), Slug: m.Slug, Version: m.Version, BaseURL: a.Version.BaseURL(),
		Entry: a.Version.Entry(), Config: a.PublicConfig(),
	}
}

type status struct {
	Target   theme.Target `json:"target"`
	Active   *applied     `json:"active"`
	Previous *applied     `json:"previous"`
}

func writeStatus(w http.ResponseWriter, s theme.Status, err error) error {
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, status{
		Target: s.Target, Active: newApplied(s.Active), Previous: newApplied(s.Previous),
	})
	return nil
}

// Status serves GET /api/v1/admin/themes/{target}.
func (h *Handlers) Status(w http.ResponseWriter, r *http.Request) error {
	target, err := theme.ParseTarget(r.PathValue("target"))
	if err != nil {
		return err
	}
	s, err := h.Themes.Status(r.Context(), target)
	return writeStatus(w, s, err)
}

// Activate serves POST /api/v1/admin/themes/{target}/activate.
func (h *Handlers) Activate(w http.ResponseWriter, r *http.Request) error {
	target, err := theme.ParseTarget(r.PathValue("target"))
	if err != nil {
		return err
	}
	body, err := web.ReadDocument(w, r)
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage // names are matched exactly
	if err := json.Unmarshal(body, &fields); err != nil {
		return err
	}
	s, err := h.Themes.Activate(r.Context(), target, theme.Input{
		Slug: fields["slug"], Version: fields["version"], Config: fields["config"],
	})
	return writeStatus(w, s, err)
}

// Rollback serves POST /api/v1/admin/themes/{target}/rollback.
func (h *Handlers) Rollback(w http.ResponseWriter, r *http.Request) error {
	target, err := theme.ParseTarget(r.PathValue("target"))
	if err != nil {
		return err
	}
	s, err := h.Themes.Rollback(r.Context(), target)
	return writeStatus(w, s, err)
}

// Deactivate serves POST /api/v1/admin/themes/{target}/deactivate.
func (h *Handlers) Deactivate(w http.ResponseWriter, r *http.Request) error {
	target, err := theme.ParseTarget(r.PathValue("target"))
	if err != nil {
		return err
	}
	s, err := h.Themes.Deactivate(r.Context(), target)
	return writeStatus(w, s, err)
}

// Active serves GET /api/v1/shop/themes/active.
func (h *Handlers) Active(w http.ResponseWriter, r *http.Request) error {
	active, err := h.Themes.Active(r.Context(), theme.Shop)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-cache") // so that a newly activated theme shows at once
	web.WriteData(w, http.StatusOK, newApplied(active))
	return nil
}

// published is a block or an embed of an enabled instance (contract 4.19).
type published struct {
	PluginSlug     string          `json:"pluginSlug"`
	InstallationID string          `json:"installationId"`
	InstanceKey    string          `json:"instanceKey"`
	ExtensionID    string          `json:"extensionId"`
	Name           string          `json:"name"`
	Schema         json.RawMessage `json:"schema,omitempty"`
	DataURL        string          `json:"dataUrl,omitempty"`
	TargetPosition string          `json:"targetPosition,omitempty"`
}

func newPublished(p plugin.Published) published {
	return published{
		PluginSlug: p.Slug, InstallationID: p.Instance.ID, InstanceKey: p.Instance.Key, ExtensionID: p.ID, Name: p.Name,
		Schema: p.Schema, DataURL: dataURL(p), TargetPosition: p.Position,
	}
}

// dataURL returns the address of a data endpoint at the gateway, relative to that of
// stoa.
func dataURL(p plugin.Published) string {
	if p.DataEndpoint == "" {
		return ""
	}
	path, query, _ := strings.Cut(p.DataEndpoint, "?")
	address := "/api/v1/shop/plugins/" + p.Slug + path + "?"
	if query != "" {
		address += query + "&"
	}
	return address + url.Values{"installationId": {p.Instance.ID}}.Encode()
}

// Blocks serves GET /api/v1/shop/theme-extensions/blocks.
func (h *Handlers) Blocks(w http.ResponseWriter, r *http.Request) error {
	page, err := web.OnlyPage(r)
	if err != nil {
		return err
	}
	list, total, err := h.Plugins.Blocks(r.Context(), page.Limit, page.Offset())
	return writePublished(w, page, list, total, err)
}

// Embeds serves GET /api/v1/shop/theme-extensions/embeds.
func (h *Handlers) Embeds(w http.ResponseWriter, r *http.Request) error {
	page, err := web.OnlyPage(r)
	if err != nil {
		return err
	}
	list, total, err := h.Plugins.Embeds(r.Context(), page.Limit, page.Offset())
	return writePublished(w, page, list, total, err)
}

func writePublished(w http.ResponseWriter, page web.Page, list []plugin.Published, total int, err error) error {
	if err != nil {
		return err
	}
	web.WriteList(w, page, list, total, newPublished)
	return nil
}
