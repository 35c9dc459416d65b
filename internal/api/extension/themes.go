package extension

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/theme"
)

// themeFields is an installed version of a theme on the wire, with all versions of the
// theme.
type themeFields struct {
	ID           string         `json:"id"`
	Kind         string         `json:"kind"`
	Slug         string         `json:"slug"`
	Name         string         `json:"name"`
	Version      string         `json:"version"`
	Author       string         `json:"author,omitempty"`
	AuthorURL    string         `json:"authorUrl,omitempty"`
	Description  string         `json:"description,omitempty"`
	Target       string         `json:"target"`
	Entry        any            `json:"entry"` // of an app its program
	BaseURL      string         `json:"baseUrl"`
	Source       string         `json:"source"`
	InstallPath  string         `json:"installPath"`
	ZipHash      string         `json:"zipHash"`
	SignedBy     string         `json:"signedBy,omitempty"`
	ManifestJSON string         `json:"manifestJson"`
	Versions     []themeVersion `json:"versions"` // the highest first
	InstalledAt  web.Timestamp  `json:"installedAt"`
	UpdatedAt    web.Timestamp  `json:"updatedAt"`
}

type themeVersion struct {
	Version     string        `json:"version"`
	ZipHash     string        `json:"zipHash"`
	InstalledAt web.Timestamp `json:"installedAt"`
	Active      bool          `json:"active"`
}

// installedTheme is the answer to the install of a theme.
type installedTheme struct {
	themeFields

	Duplicate bool `json:"duplicate,omitempty"`
}

// newTheme shows a theme by its highest version.
func newTheme(t theme.Theme) themeFields { return newThemeVersion(t, t.Versions[0]) }

func newThemeVersion(t theme.Theme, v theme.Version) themeFields {
	m := v.Manifest
	source := plugin.SourceLocalZip
	if v.FromMarket {
		source = plugin.SourceMarket
	}
	return themeFields{
		ID: v.ID, Kind: string(v.Kind), Slug: m.Slug, Name: m.Name, Version: m.Version,
		Author: m.Author, AuthorURL: m.AuthorURL, Description: m.Description,
		Target: string(v.Target()), Entry: v.Entry(), BaseURL: v.BaseURL(), Source: string(source),
		InstallPath: v.InstallPath, ZipHash: v.ZipHash, SignedBy: v.SignedBy, ManifestJSON: string(m.Raw),
		Versions: web.Items(t.Versions, func(v theme.Version) themeVersion {
			return themeVersion{
				Version: v.Manifest.Version, ZipHash: v.ZipHash, InstalledAt: web.Timestamp(v.InstalledAt),
				Active: v.Manifest.Version == t.Active,
			}
		}),
		InstalledAt: web.Timestamp(v.InstalledAt), UpdatedAt: web.Timestamp(v.UpdatedAt),
	}
}

// ListThemes serves GET /api/v1/admin/themes.
func (h *Handlers) ListThemes(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "q", "target", "app")
	p, v := web.ReadPage(r, &faults), r.URL.Query()
	q := theme.Query{
		Search: v.Get("q"), Target: theme.Target(v.Get("target")), App: web.ReadBool(r, "app", &faults),
		Limit: p.Limit, Offset: p.Offset(),
	}
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	themes, total, err := h.Themes.List(r.Context(), q)
	if err != nil {
		return err
	}
	web.WriteList(w, p, themes, total, newTheme)
	return nil
}

// writeInstalledTheme answers with an installed theme: 201 if it is new, 200 for another
// version of it and for the same archive again.
func writeInstalledTheme(w http.ResponseWriter, in theme.Installed, duplicate bool) {
	status := http.StatusOK
	if in.First && !duplicate {
		status = http.StatusCreated
	}
	web.WriteData(w, status, installedTheme{themeFields: newThemeVersion(in.Theme, in.Version), Duplicate: duplicate})
}

// themeOf returns the theme that a request names, and the version of its parameter
// version: the highest if it is absent.
func (h *Handlers) themeOf(r *http.Request) (theme.Theme, theme.Version, error) {
	t, err := h.Themes.Get(r.Context(), kindOf(r), r.PathValue("slug"))
	if err != nil {
		return theme.Theme{}, theme.Version{}, err
	}
	number := r.URL.Query().Get("version")
	v, ok := t.Version(number)
	if !ok {
		return theme.Theme{}, theme.Version{}, theme.ErrNoVersion.With("version", number)
	}
	return t, v, nil
}

// uninstallTheme is Uninstall for themes.
func (h *Handlers) uninstallTheme(w http.ResponseWriter, r *http.Request) error {
	ctx, kind, slug := r.Context(), kindOf(r), r.PathValue("slug")
	return h.remove(w, r, removal{
		uninstall:   func() error { return h.Themes.Uninstall(ctx, kind, slug) },
		purge:       func() ([]string, error) { return h.Themes.Purge(ctx, kind, slug) },
		uninstalled: "The theme is uninstalled, all its versions. Their files stay on disk.",
		purged:      "The theme is removed with all its versions and their files.",
	})
}
