// Package market serves what other stoas install from this one: the signed metadata of its market, the
// files that this names, and the packages that its products carry (contract 9.1), and what they buy (contract 9.5).
package market

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"stoa/internal/api/limit"
	"stoa/internal/api/web"
	"stoa/internal/extension/install"
	"stoa/internal/market/handoff"
	"stoa/internal/market/origin"
	"stoa/internal/market/terms"
	"stoa/internal/shop/product"
	"stoa/internal/shop/release"
)

// Handlers serve the routes below terms.Prefix. All fields are required.
type Handlers struct {
	Market    *origin.Service
	Releases  *release.Service
	Installer *install.Installer
	Handoffs  *handoff.Service
	Limits    limit.Counter
	Log       *slog.Logger
	// Count counts events by outcome (ops.Metrics).
	Count func(what, outcome string)
}

const (
	jsonType = "application/json"
	// always is for files whose content follows from their name.
	always = "public, max-age=31536000, immutable"
)

// Metadata serves GET /api/market/v1/tuf/{file}.
func (h *Handlers) Metadata(w http.ResponseWriter, r *http.Request) error {
	m, err := h.Market.File(r.Context(), r.PathValue("file"))
	if err != nil {
		return err
	}
	if m.Role == terms.Timestamp {
		web.WriteCached(w, r, jsonType, web.VersionTag(m.Version), m.Content)
		return nil
	}
	// Not for ever: a market that was restored from a backup may sign a version again.
	web.WriteCached(w, r, jsonType, web.ContentTag(m.Content), m.Content)
	return nil
}

// Target serves GET /api/market/v1/targets/{path...}.
func (h *Handlers) Target(w http.ResponseWriter, r *http.Request) error {
	target, hash, ok := terms.ParseServed(r.PathValue("path"))
	if !ok {
		return origin.ErrNoFile
	}
	if slug, version, ok := terms.ParsePackageTarget(target); ok {
		return h.serve(w, r, slug, version, hash)
	}
	content, err := h.Market.Target(r.Context(), target, hash)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", always)
	w.Header().Set("Content-Type", jsonType)
	_, _ = w.Write(content) //nolint:gosec // signed JSON, sent as such; an error means the client is gone
	return nil
}

// Package serves GET /api/market/v1/packages/{slug}/{version}.
func (h *Handlers) Package(w http.ResponseWriter, r *http.Request) error {
	return h.serve(w, r, r.PathValue("slug"), r.PathValue("version"), "")
}

// serve answers with a package, if it has that hash or hash is empty. Whoever has no license for it learns no more.
func (h *Handlers) serve(w http.ResponseWriter, r *http.Request, slug, version, hash string) error {
	if err := h.Limits.CountAddress(w, r, limit.MarketPackage); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "private, no-cache") // it may depend on the license
	found, err := h.Releases.Find(r.Context(), slug, version, licenseKey(r))
	if errors.Is(err, product.ErrNotFound) {
		return origin.ErrNoFile
	}
	if err != nil {
		return err
	}
	if hash != "" && hash != found.ZipHash {
		return origin.ErrNoFile
	}
	f, err := h.Installer.OpenArchive(r.Context(), install.Ref{
		Kind: found.Kind, Path: strings.TrimSuffix(found.Path, ".zip"), Hash: found.ZipHash,
	})
	if errors.Is(err, install.ErrNoArchive) { // it was withdrawn a moment ago
		return origin.ErrNoFile.Because(err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, f) // the client is gone
	}
	return nil
}

// licenseKey returns the key of a request; empty without one.
func licenseKey(r *http.Request) string {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, terms.LicenseScheme) {
		return ""
	}
	return strings.TrimSpace(key)
}
