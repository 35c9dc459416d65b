package extension

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/plugin"
)

// bundleFields is an installed bundle on the wire (contract 4.18). ManifestJSON has no values of
// secret fields.
type bundleFields struct {
	ID           string        `json:"id"`
	Kind         string        `json:"kind"`
	Slug         string        `json:"slug"`
	Name         string        `json:"name"`
	Version      string        `json:"version"`
	Author       string        `json:"author,omitempty"`
	AuthorURL    string        `json:"authorUrl,omitempty"`
	Description  string        `json:"description,omitempty"`
	Source       string        `json:"source"`
	ZipHash      string        `json:"zipHash"`
	SignedBy     string        `json:"signedBy,omitempty"`
	ManifestJSON string        `json:"manifestJson"`
	Items        []bundleItem  `json:"items"`
	InstalledAt  web.Timestamp `json:"installedAt"`
	UpdatedAt    web.Timestamp `json:"updatedAt"`
}

// bundleItem is the result of installing or removing an item of a bundle.
type bundleItem struct {
	Kind    string `json:"kind"`
	Slug    string `json:"slug"`
	Version string `json:"version"`
	Result  string `json:"result"`
}

// installedBundle is the answer to the install of a bundle.
type installedBundle struct {
	bundleFields

	Duplicate       bool   `json:"duplicate,omitempty"`
	PreviousVersion string `json:"previousVersion,omitempty"`
}

func newBundle(b bundle.Bundle) bundleFields {
	m := b.Manifest
	source := plugin.SourceLocalZip
	if b.FromMarket {
		source = plugin.SourceMarket
	}
	return bundleFields{
		ID: b.ID, Kind: string(extension.Bundle), Slug: m.Slug, Name: m.Name, Version: m.Version,
		Author: m.Author, AuthorURL: m.AuthorURL, Description: m.Description,
		Source: string(source), ZipHash: b.ZipHash, SignedBy: b.SignedBy, ManifestJSON: string(m.Raw),
		Items:       newBundleItems(b.Listed()),
		InstalledAt: web.Timestamp(b.InstalledAt), UpdatedAt: web.Timestamp(b.UpdatedAt),
	}
}

func newBundleItems(items []bundle.Item) []bundleItem {
	return web.Items(items, func(i bundle.Item) bundleItem {
		return bundleItem{Kind: string(i.Kind), Slug: i.Slug, Version: i.Version, Result: string(i.Outcome)}
	})
}

// writeInstalledBundle answers with an installed bundle: 201 if it is new, 200 for another
// version of it and for the same archive again.
func writeInstalledBundle(w http.ResponseWriter, in bundle.Installed, duplicate bool) {
	status := http.StatusCreated
	if duplicate || in.PreviousVersion != "" || !in.UpdatedAt.Equal(in.InstalledAt) {
		status = http.StatusOK
	}
	web.WriteData(w, status, installedBundle{
		bundleFields: newBundle(in.Bundle), Duplicate: duplicate, PreviousVersion: in.PreviousVersion,
	})
}

// uninstalledBundle is the answer to the uninstall of a bundle.
type uninstalledBundle struct {
	// Removed and Kept are items that the bundle had installed: those removed with it, and
	// those that stay because another bundle has them.
	Removed []bundleItem `json:"removed"`
	Kept    []bundleItem `json:"kept"`
}

// uninstallBundle is Uninstall for bundles.
func (h *Handlers) uninstallBundle(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	what := bundle.Removal{Items: readFlag(r, "items", &faults), Purge: readFlag(r, "purge", &faults)}
	if err := faults.Err(); err != nil {
		return err
	}
	gone, err := h.Bundles.Uninstall(r.Context(), r.PathValue("slug"), what)
	if err != nil {
		return err
	}
	h.Installer.Discard(r.Context(), gone.Paths...)
	web.WriteData(w, http.StatusOK, uninstalledBundle{
		Removed: newBundleItems(gone.Items), Kept: newBundleItems(gone.Kept),
	})
	return nil
}
