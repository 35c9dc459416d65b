// Package extension is the seam between the kinds of extensions and what they
// share: uploads, archives, files in the data folder, recovery after a crash.
//
// The shared part does not depend on the kind. Package archive reads ZIP files
// under a Profile; package install takes an upload to files in place and has them
// recorded. Whatever depends on the kind they ask of a Registry, which the domain
// of the kind provides: plugin.Registry and theme.Registry.
//
// To add a kind, such as bundle:
//
//   - write its domain, such as package bundle, with a Registry: the Profile of its
//     archives, a parser for its manifest, and the records of what is installed;
//   - enter it in install.Installer.Kinds, in package app; from then on the kind is
//     no longer answered with NOT_SUPPORTED;
//   - give it an answer in httpapi, where an install and the lists are turned into
//     JSON, and an upload limit.
//
// Nothing in archive or install changes.
package extension

import (
	"context"
	"slices"

	"stoa/internal/errs"
	"stoa/internal/extension/archive"
)

// Kind names a kind of extension.
type Kind string

// The kinds (spec B). Those without a Registry cannot be installed yet.
const (
	Plugin        Kind = "plugin"
	ThemeShop     Kind = "theme-shop"
	ThemeAdmin    Kind = "theme-admin"
	ThemeAppShop  Kind = "theme-app-shop"
	ThemeAppAdmin Kind = "theme-app-admin"
	Bundle        Kind = "bundle"
)

var kinds = []Kind{Plugin, ThemeShop, ThemeAdmin, ThemeAppShop, ThemeAppAdmin, Bundle}

// Why there is no Registry for a kind.
var (
	ErrKind = errs.New(errs.NotFound, "NOT_FOUND", "There is no such kind of extension. "+
		"The kinds are plugin, theme-shop, theme-admin, theme-app-shop, theme-app-admin and bundle.")
	ErrUnsupported = errs.New(errs.Unsupported, "NOT_SUPPORTED", "Bundles are not supported yet; "+
		"this version manages plugins and themes.")
)

// Registries holds the Registry of each kind that can be installed.
type Registries map[Kind]Registry

// Get returns the Registry of a kind. The error is ErrUnsupported for a kind that
// has none, and ErrKind for anything that is not a kind.
func (rs Registries) Get(k Kind) (Registry, error) {
	if r, ok := rs[k]; ok {
		return r, nil
	}
	if slices.Contains(kinds, k) {
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
}

// Present is an installed package, as far as all kinds are alike.
type Present struct {
	Kind        Kind
	Slug        string
	Version     string
	InstallPath string // relative to the data folder, slash-separated; empty if there are no files
	ZipHash     string // SHA-256 of the archive, in hex
	FromMarket  bool
}

// Candidate is an extension that may be installed: its manifest has no fault.
type Candidate interface {
	// Slug and Version come from the manifest. Both are fit to be part of a folder's
	// name.
	Slug() string
	Version() string

	// CheckFree returns nil if the extension can be installed beside what is
	// installed now, or over a lower version of it, and an errs.Conflict error
	// otherwise. replace allows to replace the same version.
	CheckFree(ctx context.Context, replace bool) error

	// Add records the extension, whose files are in place, all or nothing. The error
	// is an errs.Conflict if the slug was taken meanwhile, and an errs.Unprocessable
	// if it is to replace another version and does not work.
	Add(ctx context.Context, files Files) (Record, error)
}

// Files are the files of an extension that is being installed.
type Files struct {
	PackageID   string // the id that the package gets, if it is new; empty for a random one
	InstallPath string // relative to the data folder, slash-separated
	ZipHash     string // SHA-256 of the archive, in hex
	Replace     bool   // the same version may be replaced
	FromMarket  bool   // the official market published it; otherwise it was uploaded
	SignedBy    string // the name of the trusted key that signed it; empty if it is not signed
}

// Record is what a kind recorded about an installed extension: for plugins a
// plugin.Installed.
type Record interface {
	// RequestID returns the Files.PackageID that the present version was added with.
	RequestID() string
}
