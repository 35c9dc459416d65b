package extension

import (
	"fmt"
	"net/http"
	"time"

	"stoa/internal/extension"
	"stoa/internal/extension/install"
	"stoa/internal/httpapi/web"
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

// Archive serves GET /api/v1/admin/extensions/{kind}/{slug}/archive.
func (h *Handlers) Archive(w http.ResponseWriter, r *http.Request) error {
	if err := h.checkKind(r); err != nil {
		return err
	}
	p, err := h.Plugins.Get(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	f, err := h.Installer.OpenArchive(p.InstallPath)
	if err != nil {
		return err
	}
	defer f.Close()
	header := w.Header()
	header.Set("Content-Type", "application/zip")
	header.Set("Content-Disposition",
		fmt.Sprintf(`attachment; filename="%s-%s.zip"`, p.Manifest.Slug, p.Manifest.Version))
	header.Set("ETag", `"`+p.ZipHash+`"`)
	http.ServeContent(w, r, "", time.Time{}, f)
	return nil
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
	page, err := web.ReadOnlyPage(r)
	if err != nil {
		return err
	}
	p, err := h.Plugins.Get(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	files, err := h.Installer.Files(extension.Plugin, p.InstallPath, p.ZipHash)
	if err != nil {
		return err
	}
	from := min(page.Offset(), len(files))
	to := min(from+page.Limit, len(files))
	web.WriteList(w, page, files[from:to], len(files), func(f install.File) installedFile {
		return installedFile{Path: f.Path, Size: f.Size, SHA256: f.SHA256, Intact: f.State == install.Intact, State: f.State}
	})
	return nil
}
