package bundle

import (
	"context"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/extension"
	"stoa/internal/extension/install"
	"stoa/internal/extension/manifest"
	"stoa/internal/trust/audit"
)

// Service manages bundles. All fields are required. It is safe for concurrent use, also by
// several processes on one database.
type Service struct {
	Store   Store
	Records install.Transactions
	Kinds   extension.Registries
	Now     func() time.Time
}

// now is the time at the precision the database keeps.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Get returns an installed bundle. The error is ErrNotFound for an unknown or uninstalled
// one.
func (s *Service) Get(ctx context.Context, slug string) (Bundle, error) {
	if !manifest.IsSlug(slug) {
		return Bundle{}, ErrNotFound
	}
	b, err := s.Store.Get(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return Bundle{}, ErrNotFound
	}
	return b, err
}

// List returns at most limit bundles by slug, after the first offset, and how many there
// are in all.
func (s *Service) List(ctx context.Context, limit, offset int) ([]Bundle, int, error) {
	return s.Store.List(ctx, limit, offset)
}

// Removal says what an uninstall removes besides the bundle itself.
type Removal struct {
	Items bool // what the bundle installed
	Purge bool // for good, with files and data; otherwise items are uninstalled
}

// Removed is what an uninstall removed and what it left.
type Removed struct {
	Items []Item   // that were removed
	Kept  []Item   // that another bundle has, which owns them now
	Paths []string // of files to remove, relative to the data folder
}

// Uninstall removes a bundle, and its items if that is asked for: those that it installed,
// without those that another bundle has, and without those that were removed or replaced by
// hand since. All or nothing: if an item cannot be removed, such as an active theme, the error
// says why, and nothing is removed.
//
// The error is ErrNotFound for an unknown or uninstalled bundle.
func (s *Service) Uninstall(ctx context.Context, slug string, what Removal) (Removed, error) {
	if !manifest.IsSlug(slug) {
		return Removed{}, ErrNotFound
	}
	var gone Removed
	var committed []func()
	err := s.Records.InTurn(ctx, func(tx extension.Tx) (err error) {
		gone, committed, err = s.uninstall(ctx, tx, slug, what)
		return err
	})
	if err != nil {
		return Removed{}, err
	}
	for _, fn := range committed {
		fn()
	}
	return gone, nil
}

func (s *Service) uninstall(
	ctx context.Context, tx extension.Tx, slug string, what Removal,
) (gone Removed, committed []func(), err error) {
	st := storeOf(tx)
	b, err := st.Get(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return gone, nil, ErrNotFound
	} else if err != nil {
		return gone, nil, err
	}
	for _, item := range slices.Backward(b.Items) { // what came last may need what came first
		if !item.Owned {
			continue
		}
		others, err := st.Others(ctx, slug, item.Kind, item.PackageID)
		if err != nil {
			return gone, nil, err
		}
		if len(others) > 0 {
			gone.Kept = append(gone.Kept, item)
			if err := st.Own(ctx, others[0], item.Kind, item.PackageID); err != nil {
				return gone, nil, err
			}
			continue
		}
		if !what.Items {
			continue
		}
		removed, err := s.remove(ctx, tx, item, what.Purge)
		if errs.KindOf(err) == errs.NotFound {
			continue // somebody removed it by hand
		} else if err != nil {
			return gone, nil, err
		}
		gone.Items = append(gone.Items, item)
		gone.Paths = append(gone.Paths, removed.Paths...)
		if removed.Committed != nil {
			committed = append(committed, removed.Committed)
		}
	}
	if err := st.Delete(ctx, slug); err != nil {
		return gone, nil, err
	}
	if err := s.publish(ctx, st, event.ExtensionUninstalled, slug); err != nil {
		return gone, nil, err
	}
	return gone, committed, s.record(ctx, st, audit.BundleUninstall, slug, audit.Details{
		"version": b.Manifest.Version, "removed": names(gone.Items), "purge": what.Purge,
	})
}

func (s *Service) remove(
	ctx context.Context, tx extension.Tx, item Item, purge bool,
) (extension.Removed, error) {
	reg, err := s.Kinds.Get(item.Kind)
	if err != nil {
		return extension.Removed{}, err
	}
	return reg.Remove(ctx, tx, item.Slug, item.PackageID, purge)
}

func (s *Service) recordInstall(ctx context.Context, st Store, in Installed) error {
	action, typ := audit.BundleInstall, event.ExtensionInstalled
	details := audit.Details{
		"version": in.Manifest.Version, "zipHash": in.ZipHash, "signedBy": in.SignedBy, "items": names(in.Listed()),
	}
	if in.PreviousVersion != "" {
		action, details["previousVersion"] = audit.BundleUpgrade, in.PreviousVersion
		typ = event.ExtensionUpgraded
	}
	if err := s.publish(ctx, st, typ, in.Manifest.Slug); err != nil {
		return err
	}
	return s.record(ctx, st, action, in.Manifest.Slug, details)
}

// publish publishes an event about a bundle. Its items publish their own.
func (s *Service) publish(ctx context.Context, st Store, t event.Type, slug string) error {
	return st.Publish(ctx, event.New(s.now(), t, event.Names{Kind: string(extension.Bundle), Slug: slug}))
}

func (s *Service) record(ctx context.Context, st Store, action audit.Action, slug string, details audit.Details) error {
	target := audit.Target{Type: string(extension.Bundle), ID: slug}
	return st.Record(ctx, audit.New(ctx, s.Now(), action, target, details))
}

func names(items []Item) []string {
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = string(item.Kind) + "/" + item.Slug + " " + item.Version
	}
	return list
}
