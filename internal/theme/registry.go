package theme

import (
	"context"
	"math"

	"stoa/internal/extension"
	"stoa/internal/extension/archive"
)

// The sizes of the largest archives in bytes (CONTRACT 4).
const (
	MaxArchive    = 10 << 20  // of a pack
	MaxAppArchive = 200 << 20 // of an app
)

// Registry is a Service as packages archive and install see it: the extensions of one
// kind of themes.
type Registry struct {
	Service *Service
	Kind    extension.Kind
	Types   []string // of files that archives may have besides those of spec B
}

var _ extension.Registry = Registry{}

// Profile implements extension.Registry with the limits of spec B.
func (r Registry) Profile() archive.Profile {
	p := archive.Profile{
		Manifest: manifestName(r.Kind), Also: "manifest.json",
		MaxSize: MaxArchive,
		Types:   append([]string{".js", ".json", ".woff", ".woff2", ".css", ".html"}, r.Types...),
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
	versions, _, err := r.Service.Store.ListThemes(ctx, r.Kind, math.MaxInt32, 0)
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

func (c candidate) CheckFree(ctx context.Context, replace bool) error {
	_, err := c.s.present(ctx, Version{Kind: c.kind, Manifest: c.m, Files: extension.Files{Replace: replace}})
	return err
}

func (c candidate) Add(ctx context.Context, files extension.Files) (extension.Record, error) {
	in, err := c.s.Add(ctx, Version{Kind: c.kind, Manifest: c.m, Files: files})
	return in, err
}
