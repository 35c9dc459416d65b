package extension

import (
	"fmt"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/install"
	"stoa/internal/extension/theme"
)

// Rollback serves POST /api/v1/admin/plugins/{slug}/rollback.
func (h *Handlers) Rollback(w http.ResponseWriter, r *http.Request) error {
	of, err := h.Plugins.Rollback(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	return h.writeVersion(w, r, of)
}

// Restore serves POST /api/v1/admin/plugins/{slug}/restore.
func (h *Handlers) Restore(w http.ResponseWriter, r *http.Request) error {
	of, err := h.Plugins.Restore(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	return h.writeInstalled(w, r, of, http.StatusOK, nil)
}

var errBundleArchive = errs.New(errs.NotFound, "NOT_FOUND",
	"The archive of a bundle is not kept. Those of its items are, each under its own kind and slug.")

// place is where an installed extension and its archive are.
type place struct {
	slug, version string
	path, zipHash string
}

// placeOf returns the place of the extension that a request names: of a theme that of
// the version in the parameter version, or of the highest.
func (h *Handlers) placeOf(r *http.Request) (place, error) {
	if kindOf(r) == extension.Bundle {
		if _, err := h.Bundles.Get(r.Context(), r.PathValue("slug")); err != nil {
			return place{}, err
		}
		return place{}, errBundleArchive
	}
	if theme.IsKind(kindOf(r)) {
		_, v, err := h.themeOf(r)
		return place{v.Manifest.Slug, v.Manifest.Version, v.InstallPath, v.ZipHash}, err
	}
	p, err := h.Plugins.Get(r.Context(), r.PathValue("slug"))
	return place{p.Manifest.Slug, p.Manifest.Version, p.InstallPath, p.ZipHash}, err
}

// Archive serves GET /api/v1/admin/extensions/{kind}/{slug}/archive.
func (h *Handlers) Archive(w http.ResponseWriter, r *http.Request) error {
	if err := h.checkKind(r); err != nil {
		return err
	}
	p, err := h.placeOf(r)
	if err != nil {
		return err
	}
	f, err := h.Installer.OpenArchive(r.Context(), install.Ref{Kind: kindOf(r), Path: p.path, Hash: p.zipHash})
	if err != nil {
		return err
	}
	defer f.Close()
	header := w.Header()
	header.Set("Content-Type", "application/zip")
	header.Set("Content-Disposition",
		fmt.Sprintf(`attachment; filename="%s-%s.zip"`, p.slug, p.version))
	return web.ServeContent(w, r, web.Tag(p.zipHash), f)
}

// installedFile is a file of a package, and whether it is still as it was installed.
type installedFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Intact bool   `json:"intact"`
	State  string `json:"state"`
}

// Files serves GET /api/v1/admin/extensions/{kind}/{slug}/files.
func (h *Handlers) Files(w http.ResponseWriter, r *http.Request) error {
	if err := h.checkKind(r); err != nil {
		return err
	}
	var faults errs.Issues
	if theme.IsKind(kindOf(r)) {
		web.OnlyParams(r, &faults, "version")
	} else {
		web.OnlyParams(r, &faults)
	}
	page := web.ReadPage(r, &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	p, err := h.placeOf(r)
	if err != nil {
		return err
	}
	files, total, err := h.Installer.Files(r.Context(), install.Ref{Kind: kindOf(r), Path: p.path, Hash: p.zipHash},
		page.Offset(), page.Limit)
	if err != nil {
		return err
	}
	web.WriteList(w, page, files, total, func(f install.File) installedFile {
		return installedFile{Path: f.Path, Size: f.Size, SHA256: f.SHA256, Intact: f.State == install.Intact, State: f.State}
	})
	return nil
}
