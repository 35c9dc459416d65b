// Package extension is the seam between the kinds of extensions and what they
// share: uploads, archives, files in the data folder, recovery after a crash.
//
// The shared part does not depend on the kind. Package archive reads ZIP files
// under a Profile; package install takes an upload to files in place and has them
// recorded. Whatever depends on the kind they ask of a Registry, which the domain
// of the kind provides: plugin.Registry, theme.Registry and bundle.Registry.
//
// An extension is installed in two steps. Candidate.Prepare does whatever takes time or
// starts processes, Prepared.Record writes to the database and nothing else. So a bundle
// prepares all its items, one after the other, and records them in one transaction.
//
// To add a kind:
//
//   - write its domain with a Registry: the Profile of its archives, a parser for its
//     manifest, and the records of what is installed;
//   - enter it in install.Installer.Kinds, in package app; from then on the kind is
//     no longer answered with NOT_SUPPORTED, and bundles may have items of it;
//   - give it an answer in httpapi, where an install and the lists are turned into
//     JSON, and an upload limit.
//
// Nothing in archive, install or bundle changes.
package extension

import (
	"context"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/extension/archive"
)

// Kind names a kind of extension.
type Kind string

// The kinds (contract 4.1). Those without a Registry cannot be installed yet.
const (
	Plugin        Kind = "plugin"
	ThemeShop     Kind = "theme-shop"
	ThemeAdmin    Kind = "theme-admin"
	ThemeAppShop  Kind = "theme-app-shop"
	ThemeAppAdmin Kind = "theme-app-admin"
	Bundle        Kind = "bundle"
)

var kinds = []Kind{Plugin, ThemeShop, ThemeAdmin, ThemeAppShop, ThemeAppAdmin, Bundle}

// Kinds returns all kinds.
func Kinds() []Kind { return slices.Clone(kinds) }

// Known reports whether k is one of the kinds.
func (k Kind) Known() bool { return slices.Contains(kinds, k) }

// Why there is no Registry for a kind.
var (
	ErrKind = errs.New(errs.NotFound, "NOT_FOUND", "There is no such kind of extension. "+
		"The kinds are plugin, theme-shop, theme-admin, theme-app-shop, theme-app-admin and bundle.")
	ErrUnsupported = errs.New(errs.Unsupported, "NOT_SUPPORTED",
		"This stoa does not manage extensions of this kind.")
)

// Registries holds the Registry of each kind that can be installed.
type Registries map[Kind]Registry

// Get returns the Registry of a kind. The error is ErrUnsupported for a kind that
// has none, and ErrKind for anything that is not a kind.
func (rs Registries) Get(k Kind) (Registry, error) {
	if r, ok := rs[k]; ok {
		return r, nil
	}
	if k.Known() {
		return nil, ErrUnsupported.With("kind", string(k))
	}
	return nil, ErrKind
}

// Registry knows one kind of extension: what its archives may hold, what its
// manifests mean, and what is installed. It is safe for concurrent use.
type Registry interface {
	// Profile returns the rules for archives of the kind.
	Profile() archive.Profile

	// Folder returns where the files of the kind are kept: the name of a folder in
	// the data folder. Kinds may share one.
	Folder() string

	// InstallPaths returns the path of the files of every package, relative to the
	// data folder, uninstalled packages included. Whatever else is in Folder is
	// removed once it is old.
	InstallPaths(ctx context.Context) ([]string, error)

	// Installed returns every package that is installed, without uninstalled ones. A kind
	// may have several versions of one.
	Installed(ctx context.Context) ([]Present, error)

	// FindArchive returns what was installed from the archive with that SHA-256, in
	// hex; ok is false if nothing was. The error is an errs.Conflict if it was
	// uninstalled since.
	FindArchive(ctx context.Context, zipHash string) (found Record, ok bool, err error)

	// ReadManifest reads the manifest of an archive. has reports whether the archive
	// holds a file of that name, which is a clean slash-separated path, or if the name
	// ends in a slash, a folder with files in it. The error is an errs.Invalid that
	// names every fault at once.
	ReadManifest(raw []byte, has func(name string) bool) (Candidate, error)

	// Remove removes in tx what was added as that package (Added.ID): it is uninstalled,
	// or removed for good with purge. The error is an errs.NotFound if it is not installed
	// any more, and an errs.Conflict if it must stay, such as an active theme.
	Remove(ctx context.Context, tx Tx, slug, id string, purge bool) (Removed, error)
}

// Present is an installed package, as far as all kinds are alike.
type Present struct {
	Kind        Kind
	Slug        string
	Version     string
	InstallPath string // relative to the data folder, slash-separated; empty if there are no files
	ZipHash     string // SHA-256 of the archive, in hex
	FromMarket  bool
	Origin      Origin // of its archive; set by install.Installer.Installed
}
