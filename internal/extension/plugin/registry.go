package plugin

import (
	"cmp"
	"context"
	"encoding/json"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/archive"
	"stoa/internal/extension/config"
)

// MaxArchive is the size of the largest plugin archive in bytes (contract 4.2).
const MaxArchive = 50 << 20

// Registry is a Service as packages archive and install see it: the extensions of
// the kind plugin.
type Registry struct {
	Service *Service
}

var _ extension.Registry = Registry{}

// Profile implements extension.Registry with the limits of contract 4.2.
func (r Registry) Profile() archive.Profile {
	return archive.Profile{
		Manifest: "manifest.json",
		MaxSize:  MaxArchive,
		Types:    []string{".js", ".json", ".woff", ".woff2", ".css", ".html"},
	}
}

// Folder implements extension.Registry.
func (Registry) Folder() string { return "plugins" }

// InstallPaths implements extension.Registry.
func (r Registry) InstallPaths(ctx context.Context) ([]string, error) {
	return r.Service.Store.InstallPaths(ctx)
}

// Installed implements extension.Registry.
func (r Registry) Installed(ctx context.Context) ([]extension.Present, error) {
	const batch = 500
	var all []extension.Present
	for {
		list, total, err := r.Service.List(ctx, PackageQuery{Limit: batch, Offset: len(all)})
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			all = append(all, extension.Present{
				Kind: extension.Plugin, Slug: p.Manifest.Slug, Version: p.Manifest.Version,
				InstallPath: p.InstallPath, ZipHash: p.ZipHash, FromMarket: p.Source == SourceMarket,
			})
		}
		if len(list) == 0 || len(all) >= total {
			return all, nil
		}
	}
}

// HasBuiltin implements install.Builtins. See Service.HasBuiltin.
func (r Registry) HasBuiltin(ctx context.Context, slug, zipHash string) (bool, error) {
	return r.Service.HasBuiltin(ctx, slug, zipHash)
}

// ReleaseBuiltins implements install.Builtins. See Service.ReleaseBuiltins.
func (r Registry) ReleaseBuiltins(ctx context.Context, except []string) ([]string, error) {
	return r.Service.ReleaseBuiltins(ctx, except)
}

// FindArchive implements extension.Registry. See Service.FindArchive.
func (r Registry) FindArchive(ctx context.Context, zipHash string) (extension.Record, bool, error) {
	return r.Service.FindArchive(ctx, zipHash)
}

// ReadManifest implements extension.Registry. See ParseManifest.
func (r Registry) ReadManifest(raw []byte, has func(name string) bool) (extension.Candidate, error) {
	m, err := ParseManifest(raw, has)
	if err != nil {
		return nil, err
	}
	return candidate{s: r.Service, m: m}, nil
}

// RequestID implements extension.Record.
func (in Installed) RequestID() string { return cmp.Or(in.Package.UpgradeID, in.Package.ID) }

// candidate is a plugin that may be installed.
type candidate struct {
	s *Service
	m Manifest
}

func (c candidate) Slug() string    { return c.m.Slug }
func (c candidate) Version() string { return c.m.Version }

func (c candidate) Needs() extension.Needs {
	return extension.Needs{Permissions: c.m.Permissions, MinPlatform: c.m.MinPlatform}
}

func (c candidate) CheckFree(ctx context.Context, replace bool) error {
	return c.s.CheckFree(ctx, c.m, replace)
}

// CheckSetup implements extension.Candidate. See Service.CheckSetup.
func (c candidate) CheckSetup(ctx context.Context, setup extension.Setup, faults *errs.Issues) error {
	return c.s.CheckSetup(ctx, c.m, setup, faults)
}

func (c candidate) PublicConfig(raw json.RawMessage) json.RawMessage {
	public, _ := config.Public(raw, c.m.ConfigSchema)
	return public
}

func (c candidate) Prepare(
	ctx context.Context, files extension.Files, setup extension.Setup,
) (extension.Prepared, error) {
	source := SourceLocalZip
	switch {
	case files.Builtin:
		source = SourceBuiltin
	case files.FromMarket:
		source = SourceMarket
	}
	return prepared(c.s.prepare(ctx, Package{
		ID: files.PackageID, Source: source,
		InstallPath: files.InstallPath, ZipHash: files.ZipHash, SignedBy: files.SignedBy, Manifest: c.m,
	}, files.Replace, setup))
}

func (c candidate) Adopt(ctx context.Context, zipHash string, setup extension.Setup) (extension.Prepared, error) {
	return prepared(c.s.adopt(ctx, zipHash, setup))
}

// prepared returns a nil interface, not a nil change, with an error.
func prepared(c *change, err error) (extension.Prepared, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Remove implements extension.Registry.
func (r Registry) Remove(
	ctx context.Context, tx extension.Tx, slug, id string, purge bool,
) (extension.Removed, error) {
	st := storeOf(tx)
	p, err := live(ctx, st, slug)
	if err != nil {
		return extension.Removed{}, err
	}
	// What has become built in since is the platform's.
	if is, err := r.Service.in(st).builtin(ctx, p); err != nil || is || p.ID != id {
		return extension.Removed{}, cmp.Or(err, error(ErrNotFound))
	}
	var paths, running []string
	if purge {
		paths, running, err = r.Service.purge(ctx, st, slug)
	} else {
		_, running, err = r.Service.uninstall(ctx, st, slug)
	}
	return extension.Removed{Paths: paths, Committed: func() { r.Service.stopAll(running) }}, err
}
