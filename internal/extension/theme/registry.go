package theme

import (
	"cmp"
	"context"
	"encoding/json"
	"math"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/extension"
	"stoa/internal/extension/archive"
	"stoa/internal/extension/config"
)

// The sizes of the largest archives in bytes (contract 4.2).
const (
	MaxArchive    = 10 << 20  // of a pack
	MaxAppArchive = 200 << 20 // of an app
)

// Registry is a Service as packages archive and install see it: the extensions of one
// kind of themes.
type Registry struct {
	Service *Service
	Kind    extension.Kind
}

var _ extension.Registry = Registry{}

// Profile implements extension.Registry with the limits of contract 4.2.
func (r Registry) Profile() archive.Profile {
	p := archive.Profile{
		Manifest: manifestName(r.Kind), Also: "manifest.json",
		MaxSize: MaxArchive,
		Types:   []string{".js", ".json", ".woff", ".woff2", ".css", ".html"},
	}
	if IsApp(r.Kind) {
		p.MaxSize = MaxAppArchive
	}
	return p
}

// Folder implements extension.Registry.
func (r Registry) Folder() string { return string(r.Kind) }

// InstallPaths implements extension.Registry.
func (r Registry) InstallPaths(ctx context.Context) ([]string, error) {
	return r.Service.Store.InstallPaths(ctx, r.Kind)
}

// Installed implements extension.Registry.
func (r Registry) Installed(ctx context.Context) ([]extension.Present, error) {
	versions, _, err := r.Service.Store.ListThemes(ctx, Query{Kind: r.Kind, Limit: math.MaxInt32})
	present := make([]extension.Present, len(versions))
	for i, v := range versions {
		present[i] = extension.Present{
			Kind: v.Kind, Slug: v.Manifest.Slug, Version: v.Manifest.Version, InstallPath: v.InstallPath, ZipHash: v.ZipHash,
			FromMarket: v.FromMarket,
		}
	}
	return present, err
}

// FindArchive implements extension.Registry. Themes that were uninstalled are not
// found: they can be installed again.
func (r Registry) FindArchive(ctx context.Context, zipHash string) (extension.Record, bool, error) {
	in, ok, err := r.Service.FindArchive(ctx, r.Kind, zipHash)
	return in, ok, err
}

// ReadManifest implements extension.Registry. See ParseManifest.
func (r Registry) ReadManifest(raw []byte, has func(name string) bool) (extension.Candidate, error) {
	m, err := ParseManifest(r.Kind, raw, has)
	if err != nil {
		return nil, err
	}
	return candidate{s: r.Service, kind: r.Kind, m: m}, nil
}

// candidate is a version of a theme that may be installed.
type candidate struct {
	s    *Service
	kind extension.Kind
	m    Manifest
}

func (c candidate) Slug() string    { return c.m.Slug }
func (c candidate) Version() string { return c.m.Version }

func (c candidate) Needs() extension.Needs { return extension.Needs{MinPlatform: c.m.MinPlatform} }

func (c candidate) CheckFree(ctx context.Context, replace bool) error {
	_, err := c.s.present(ctx, Version{Kind: c.kind, Manifest: c.m, Files: extension.Files{Replace: replace}})
	return err
}

// CheckSetup implements extension.Candidate. A theme that its target is to show needs a
// default config that is complete.
func (c candidate) CheckSetup(_ context.Context, setup extension.Setup, faults *errs.Issues) error {
	if len(setup.Instances) > 0 {
		faults.Add("instances", errs.CodeUnsupported, "Only plugins have instances.")
	}
	if !setup.Activate {
		return nil
	}
	values, _ := config.Decode(c.m.DefaultConfig)
	for _, name := range values.Missing(c.m.ConfigSchema) {
		faults.Add("activate", errs.CodeRequired,
			"The theme cannot be activated by itself: its defaultConfig has no value for %s, which is required.", name)
	}
	return nil
}

func (c candidate) PublicConfig(raw json.RawMessage) json.RawMessage { return raw }

func (c candidate) Prepare(
	ctx context.Context, files extension.Files, setup extension.Setup,
) (extension.Prepared, error) {
	v := Version{Kind: c.kind, Manifest: c.m, Files: files}
	v.PackageID = cmp.Or(v.PackageID, ids.New())
	if err := c.s.tryNext(ctx, v, setup.Activate); err != nil {
		return nil, err
	}
	return prepared{s: c.s, setup: setup, put: func(ctx context.Context, s *Service) (extension.Added, error) {
		was, err := s.present(ctx, v)
		if err != nil {
			return extension.Added{}, err
		}
		in, err := s.Add(ctx, v)
		a := extension.Added{
			ID: in.Version.ID, Outcome: extension.WasUpgraded, New: was.ID == "" || !was.DeletedAt.IsZero(), Record: in,
		}
		if in.First {
			a.Outcome = extension.WasInstalled
		}
		return a, err
	}}, nil
}

func (c candidate) Adopt(ctx context.Context, zipHash string, setup extension.Setup) (extension.Prepared, error) {
	if setup.Activate {
		in, ok, err := c.s.FindArchive(ctx, c.kind, zipHash)
		if err == nil && ok {
			err = c.s.try(ctx, in.Version)
		}
		if err != nil {
			return nil, err
		}
	}
	return prepared{s: c.s, setup: setup, put: func(ctx context.Context, s *Service) (extension.Added, error) {
		in, ok, err := s.FindArchive(ctx, c.kind, zipHash)
		if err == nil && !ok {
			err = errMeanwhile
		}
		return extension.Added{ID: in.Version.ID, Outcome: extension.WasDuplicate, Record: in}, err
	}}, nil
}

// prepared is a version of a theme that is ready to be recorded.
type prepared struct {
	s     *Service
	setup extension.Setup
	put   func(ctx context.Context, s *Service) (extension.Added, error) // on a service in the transaction
}

// Record implements extension.Prepared.
func (p prepared) Record(ctx context.Context, tx extension.Tx) (extension.Added, error) {
	s := p.s.in(storeOf(tx))
	added, err := p.put(ctx, s)
	in, ok := added.Record.(Installed)
	if err != nil || !ok || !p.setup.Activate {
		return added, err
	}
	return added, s.show(ctx, in.Version)
}

func (p prepared) Committed() {}

// storeOf returns the themes in a transaction of several kinds.
func storeOf(tx extension.Tx) Store {
	return tx.(interface{ Themes() Store }).Themes() //nolint:forcetypeassert // package store makes it, and tests it
}

// Remove implements extension.Registry. It removes one version of a theme.
func (r Registry) Remove(
	ctx context.Context, tx extension.Tx, slug, id string, purge bool,
) (extension.Removed, error) {
	paths, err := r.Service.in(storeOf(tx)).removeVersion(ctx, r.Kind, slug, id, purge)
	return extension.Removed{Paths: paths}, err
}
