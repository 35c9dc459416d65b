package bundle

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/extension"
	"stoa/internal/extension/archive"
	"stoa/internal/extension/install"
	"stoa/internal/extension/manifest"
)

// MaxArchive is the size of the largest bundle in bytes (contract 4.2).
const MaxArchive = 500 << 20

// Registry is a Service as packages archive and install see it: the extensions of the kind
// bundle.
type Registry struct {
	Service *Service
}

var _ extension.Registry = Registry{}

// Profile implements extension.Registry. A bundle holds archives and its manifest.
func (r Registry) Profile() archive.Profile {
	return archive.Profile{
		Manifest: manifestName, Also: "manifest.json",
		MaxSize: MaxArchive,
		Types:   []string{".zip", ".json"},
	}
}

// Folder implements extension.Registry.
func (Registry) Folder() string { return "bundles" }

// InstallPaths implements extension.Registry. A bundle has no files: its items have.
func (Registry) InstallPaths(context.Context) ([]string, error) { return nil, nil }

// Installed implements extension.Registry.
func (r Registry) Installed(ctx context.Context) ([]extension.Present, error) {
	list, _, err := r.Service.Store.List(ctx, math.MaxInt32, 0)
	present := make([]extension.Present, len(list))
	for i, b := range list {
		present[i] = extension.Present{
			Kind: extension.Bundle, Slug: b.Manifest.Slug, Version: b.Manifest.Version, ZipHash: b.ZipHash,
			FromMarket: b.FromMarket,
		}
	}
	return present, err
}

// FindArchive implements extension.Registry.
func (r Registry) FindArchive(ctx context.Context, zipHash string) (extension.Record, bool, error) {
	b, err := r.Service.Store.FindArchive(ctx, zipHash)
	if errs.KindOf(err) == errs.NotFound {
		return nil, false, nil
	}
	return Installed{Bundle: b}, err == nil, err
}

// ReadManifest implements extension.Registry. See ParseManifest.
func (r Registry) ReadManifest(raw []byte, has func(name string) bool) (extension.Candidate, error) {
	m, err := ParseManifest(raw, has)
	if err != nil {
		return nil, err
	}
	return candidate{s: r.Service, m: m}, nil
}

// errNested is returned for what is done with items. ParseManifest refuses bundles in
// bundles.
var errNested = errors.New("bundle: a bundle is no item of a bundle")

// Remove implements extension.Registry.
func (Registry) Remove(context.Context, extension.Tx, string, string, bool) (extension.Removed, error) {
	return extension.Removed{}, errNested
}

// candidate is a bundle that may be installed. It implements install.Collection.
type candidate struct {
	s *Service
	m Manifest
}

var _ install.Collection = candidate{}

func (c candidate) Slug() string    { return c.m.Slug }
func (c candidate) Version() string { return c.m.Version }

// Needs implements extension.Candidate. What the items of a bundle need is theirs.
func (c candidate) Needs() extension.Needs { return extension.Needs{MinPlatform: c.m.MinPlatform} }

func (c candidate) Items() ([]install.Item, errs.Issues) { return c.m.Items, c.m.ItemFaults }

func (c candidate) CheckFree(ctx context.Context, replace bool) error {
	_, _, err := c.present(ctx, c.s.Store, replace)
	return err
}

// present returns the bundle that this one would replace; ok is false if there is none.
// The error is ErrVersionConflict if it cannot, or extension.ErrLicenseLapsed.
func (c candidate) present(ctx context.Context, st Store, replace bool) (b Bundle, ok bool, err error) {
	b, err = st.Get(ctx, c.m.Slug)
	if errs.KindOf(err) == errs.NotFound {
		return Bundle{}, false, nil
	} else if err != nil {
		return Bundle{}, false, err
	}
	if lapsed, err := st.Lapsed(ctx, c.m.Slug, c.s.now()); err != nil {
		return Bundle{}, false, err
	} else if lapsed {
		return Bundle{}, false, extension.ErrLicenseLapsed
	}
	higher := manifest.CompareVersions(c.m.Version, b.Manifest.Version)
	if higher > 0 || higher == 0 && replace && !b.FromMarket {
		return b, true, nil
	}
	return Bundle{}, false, ErrVersionConflict.With("slug", c.m.Slug).With("installedVersion", b.Manifest.Version)
}

func (c candidate) CheckSetup(context.Context, extension.Setup, *errs.Issues) error { return errNested }

func (c candidate) PublicConfig(json.RawMessage) json.RawMessage { return nil }

func (c candidate) Prepare(context.Context, extension.Files, extension.Setup) (extension.Prepared, error) {
	return nil, errNested
}

func (c candidate) Adopt(context.Context, string, extension.Setup) (extension.Prepared, error) {
	return nil, errNested
}

// Begin implements install.Collection.
func (c candidate) Begin(ctx context.Context, tx extension.Tx, replace bool) error {
	_, _, err := c.present(ctx, storeOf(tx), replace)
	return err
}

// Record implements install.Collection.
func (c candidate) Record(
	ctx context.Context, tx extension.Tx, files extension.Files, added []install.ItemAdded,
) (extension.Record, error) {
	st := storeOf(tx)
	was, replaces, err := c.present(ctx, st, files.Replace)
	if err != nil {
		return nil, err
	}
	now := c.s.now()
	b := Bundle{
		ID: files.PackageID, RequestID: files.PackageID, Manifest: c.m, ZipHash: files.ZipHash,
		FromMarket: files.FromMarket, SignedBy: files.SignedBy, InstalledAt: now, UpdatedAt: now,
	}
	if b.ID == "" {
		b.ID = ids.New()
		b.RequestID = b.ID
	}
	b.Manifest.Raw = c.m.masked(added)
	b.Items = items(added, was.Items)
	in := Installed{Bundle: b}
	if replaces {
		in.PreviousVersion = was.Manifest.Version
		in.ID, in.InstalledAt = was.ID, was.InstalledAt
	}
	if err := st.Put(ctx, in.Bundle); err != nil {
		return nil, err
	}
	return in, c.s.recordInstall(ctx, st, in)
}

// items returns what the items of a bundle came to, and what its earlier version installed.
func items(added []install.ItemAdded, was []Item) []Item {
	var list []Item
	for _, a := range added {
		list = append(list, Item{
			Kind: a.Kind, Slug: a.Slug, Version: a.Version, Outcome: a.Outcome, PackageID: a.ID, Owned: a.New, Listed: true,
		})
	}
	for _, old := range was {
		if !old.Owned {
			continue
		}
		kept := false
		for i := range list {
			if list[i].same(old) {
				list[i].Owned, kept = true, true
			}
		}
		if !kept {
			old.Listed = false
			list = append(list, old)
		}
	}
	return list
}

// storeOf returns the bundles in a transaction of several kinds.
func storeOf(tx extension.Tx) Store {
	return tx.(interface{ Bundles() Store }).Bundles() //nolint:forcetypeassert // package store makes it, and tests it
}
