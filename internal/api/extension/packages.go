package extension

import (
	"encoding/json"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/theme"
)

// packageFields is an installed package on the wire (contract 4.4).
type packageFields struct {
	ID              string        `json:"id"`
	Kind            string        `json:"kind"`
	Slug            string        `json:"slug"`
	Name            string        `json:"name"`
	Version         string        `json:"version"`
	Author          string        `json:"author,omitempty"`
	AuthorURL       string        `json:"authorUrl,omitempty"`
	Description     string        `json:"description,omitempty"`
	Category        string        `json:"category,omitempty"`
	RuntimeType     string        `json:"runtimeType"`
	EntryModule     string        `json:"entryModule,omitempty"`
	ExternalBaseURL string        `json:"externalBaseUrl,omitempty"`
	Source          string        `json:"source"`
	InstallPath     string        `json:"installPath,omitempty"`
	ZipHash         string        `json:"zipHash,omitempty"`
	SignedBy        string        `json:"signedBy,omitempty"`
	ManifestJSON    string        `json:"manifestJson,omitempty"`
	InstalledAt     web.Timestamp `json:"installedAt"`
	UpdatedAt       web.Timestamp `json:"updatedAt"`
}

func newPackageFields(p plugin.Package) packageFields {
	m := p.Manifest
	return packageFields{
		ID: p.ID, Kind: string(extension.Plugin), Slug: m.Slug, Name: m.Name, Version: m.Version,
		Author: m.Author, AuthorURL: m.AuthorURL, Description: m.Description, Category: m.Category,
		RuntimeType: string(m.RuntimeType), EntryModule: m.EntryModule, ExternalBaseURL: m.ExternalBaseURL,
		Source: string(p.Source), InstallPath: p.InstallPath, ZipHash: p.ZipHash, SignedBy: p.SignedBy,
		ManifestJSON: string(m.Raw),
		InstalledAt:  web.Timestamp(p.InstalledAt), UpdatedAt: web.Timestamp(p.UpdatedAt),
	}
}

// listedPackage is a package as lists show it. Permissions is a string that
// contains a JSON array (contract 4.4).
type listedPackage struct {
	packageFields

	Permissions string `json:"permissions"`
	// UnknownPermissions are those of the declared permissions that grant nothing.
	UnknownPermissions []string `json:"unknownPermissions,omitempty"`
}

func newListedPackage(p plugin.Package) listedPackage {
	text, _ := json.Marshal(web.OrEmpty(p.Manifest.Permissions)) // strings always marshal
	return listedPackage{
		packageFields: newPackageFields(p), Permissions: string(text),
		UnknownPermissions: p.Manifest.Unknown(p.Manifest.Permissions),
	}
}

// listPlugins is List for plugins, which can be searched and sorted.
func (h *Handlers) listPlugins(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "q", "runtimeType", "sort")
	p, v := web.ReadPage(r, &faults), r.URL.Query()
	q := plugin.PackageQuery{
		Search: v.Get("q"), Runtime: plugin.RuntimeType(v.Get("runtimeType")), Sort: v.Get("sort"),
		Limit: p.Limit, Offset: p.Offset(),
	}
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	packages, total, err := h.Plugins.List(r.Context(), q)
	if err != nil {
		return err
	}
	web.WriteList(w, p, packages, total, newListedPackage)
	return nil
}

// List serves GET /api/v1/admin/extensions and …/{kind}.
func (h *Handlers) List(w http.ResponseWriter, r *http.Request) error {
	if r.PathValue("kind") != "" {
		if err := h.checkKind(r); err != nil {
			return err
		}
	}
	kind := kindOf(r)
	if kind == extension.Plugin {
		return h.listPlugins(w, r)
	}
	p, err := web.ReadOnlyPage(r)
	if err != nil {
		return err
	}
	var items []any
	var total int
	if kind == "" {
		packages, n, err := h.Plugins.List(r.Context(), plugin.PackageQuery{Limit: p.Limit, Offset: p.Offset()})
		if err != nil {
			return err
		}
		for _, pkg := range packages {
			items = append(items, newListedPackage(pkg))
		}
		total = n
	}
	if kind == "" || theme.IsKind(kind) { // after the plugins
		themes, n, err := h.Themes.List(r.Context(), theme.Query{
			Kind: kind, Limit: p.Limit - len(items), Offset: max(p.Offset()-total, 0),
		})
		if err != nil {
			return err
		}
		for _, t := range themes {
			items = append(items, newTheme(t))
		}
		total += n
	}
	if kind == "" || kind == extension.Bundle { // last
		bundles, n, err := h.Bundles.List(r.Context(), p.Limit-len(items), max(p.Offset()-total, 0))
		if err != nil {
			return err
		}
		for _, b := range bundles {
			items = append(items, newBundle(b))
		}
		total += n
	}
	web.WriteList(w, p, items, total, func(item any) any { return item })
	return nil
}

// Get serves GET /api/v1/admin/extensions/{kind}/{slug}.
func (h *Handlers) Get(w http.ResponseWriter, r *http.Request) error {
	if err := h.checkKind(r); err != nil {
		return err
	}
	license, err := h.licenseOf(r.Context(), kindOf(r), r.PathValue("slug"))
	if err != nil {
		return err
	}
	if theme.IsKind(kindOf(r)) {
		t, v, err := h.themeOf(r)
		if err != nil {
			return err
		}
		web.WriteData(w, http.StatusOK, struct {
			themeFields

			License *shownLicense `json:"license"`
		}{newThemeVersion(t, v), license})
		return nil
	}
	if kindOf(r) == extension.Bundle {
		b, err := h.Bundles.Get(r.Context(), r.PathValue("slug"))
		if err != nil {
			return err
		}
		web.WriteData(w, http.StatusOK, struct {
			bundleFields

			License *shownLicense `json:"license"`
		}{newBundle(b), license})
		return nil
	}
	p, err := h.Plugins.Get(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, struct {
		listedPackage

		License *shownLicense `json:"license"`
	}{newListedPackage(p), license})
	return nil
}

// GetPlugin serves GET /api/v1/admin/plugins/{slug}.
func (h *Handlers) GetPlugin(w http.ResponseWriter, r *http.Request) error {
	p, err := h.Plugins.Settings(r.Context(), r.PathValue("slug"))
	return h.writePlugin(w, r, p, err)
}

// Uninstall serves DELETE /api/v1/admin/extensions/{kind}/{slug}.
func (h *Handlers) Uninstall(w http.ResponseWriter, r *http.Request) error {
	if err := h.checkKind(r); err != nil {
		return err
	}
	if theme.IsKind(kindOf(r)) {
		return h.uninstallTheme(w, r)
	}
	if kindOf(r) == extension.Bundle {
		return h.uninstallBundle(w, r)
	}
	return h.UninstallPlugin(w, r)
}

// UninstallPlugin serves DELETE /api/v1/admin/plugins/{slug}.
func (h *Handlers) UninstallPlugin(w http.ResponseWriter, r *http.Request) error {
	ctx, slug := r.Context(), r.PathValue("slug")
	return h.remove(w, r, removal{
		uninstall:   func() error { _, err := h.Plugins.Uninstall(ctx, slug); return err },
		purge:       func() ([]string, error) { return h.Plugins.Purge(ctx, slug) },
		uninstalled: "The plugin is uninstalled and its instances are disabled. Its files stay on disk.",
		purged:      "The plugin is removed with its instances, their data and its files.",
	})
}

// removal is how a kind of extension is removed, and what the answers say.
type removal struct {
	uninstall           func() error
	purge               func() (paths []string, err error)
	uninstalled, purged string
}

// remove uninstalls an extension, or purges it if the request says so.
func (h *Handlers) remove(w http.ResponseWriter, r *http.Request, do removal) error {
	var faults errs.Issues
	purge := readFlag(r, "purge", &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	if !purge {
		if err := do.uninstall(); err != nil {
			return err
		}
		web.WriteDone(w, do.uninstalled)
		return nil
	}
	paths, err := do.purge()
	if err != nil {
		return err
	}
	h.Installer.Discard(r.Context(), paths...)
	web.WriteDone(w, do.purged)
	return nil
}
