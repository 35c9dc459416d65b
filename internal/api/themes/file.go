package themes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/extension/install"
	"stoa/internal/extension/theme"
)

var errNoFile = errs.New(errs.NotFound, "NOT_FOUND", "There is no such file in an installed theme.")

// filePolicy keeps files of packs that are opened directly, such as templates and SVG pictures, from
// running scripts on the shop's origin. For files that a page loads, the page's own policy applies.
const filePolicy = "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"

// types are the media types of the files in packs. Further types that operators allow
// (STOA_ARCHIVE_TYPES) are sent as application/octet-stream.
var types = map[string]string{
	".css":   "text/css; charset=utf-8",
	".html":  "text/html; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/json",
	".map":   "application/json",
	".woff":  "font/woff",
	".woff2": "font/woff2",
	".svg":   "image/svg+xml",
	".png":   "image/png",
	".jpg":   "image/jpeg",
	".jpeg":  "image/jpeg",
	".gif":   "image/gif",
	".webp":  "image/webp",
	".avif":  "image/avif",
	".ico":   "image/x-icon",
	".txt":   "text/plain; charset=utf-8",
	".md":    "text/plain; charset=utf-8",
}

func typeOf(name string) string {
	if t, ok := types[strings.ToLower(path.Ext(name))]; ok {
		return t
	}
	return "application/octet-stream"
}

// File serves GET /themes/{target}/{slug}/{version}/{path...}: the files of installed
// versions, which never change.
func (h *Handlers) File(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("path")
	escaped := strings.ToLower(r.URL.EscapedPath())
	if !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00") || strings.Contains(escaped, "%2f") {
		return errNoFile // an escaped slash would give one file two addresses
	}
	target, err := theme.ParseTarget(r.PathValue("target"))
	if err != nil {
		return errNoFile
	}
	place, err := h.Themes.Place(r.Context(), target, r.PathValue("slug"), r.PathValue("version"))
	if errs.KindOf(err) == errs.NotFound || err == nil && theme.IsApp(place.Kind) {
		return errNoFile // files of programs are not public
	} else if err != nil {
		return err
	}
	file, err := h.Installer.OpenFile(r.Context(), install.Ref{
		Kind: place.Kind, Path: place.InstallPath, Hash: place.ZipHash,
	}, name)
	if errors.Is(err, fs.ErrNotExist) {
		return errNoFile
	} else if err != nil {
		return err
	}
	defer file.Close()

	header := w.Header()
	header.Set("Content-Type", typeOf(name))
	header.Set("Content-Security-Policy", filePolicy)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	if place.Replaced {
		header.Set("Cache-Control", "public, no-cache") // the version was replaced once, so it may change again
	}
	sum := sha256.Sum256([]byte(place.ZipHash + "/" + name))
	return web.ServeContent(w, r, web.Tag(hex.EncodeToString(sum[:16])), file)
}
