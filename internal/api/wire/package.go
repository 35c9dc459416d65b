package wire

import (
	"stoa/internal/api/web"
	"stoa/internal/shop/release"
)

// Package is the package that a product carries, as everybody sees it.
type Package struct {
	Kind    string `json:"kind"`
	Slug    string `json:"slug"`
	Version string `json:"version"`
}

// OfferedPackage is Package with what buyers decide by, and all versions that the product offers.
type OfferedPackage struct {
	Package

	SignedBy    string           `json:"signedBy"`
	Permissions []string         `json:"permissions"`
	MinPlatform *string          `json:"minPlatform"` // nil: any version of stoa
	Versions    []OfferedVersion `json:"versions"`
}

// OfferedVersion is a version of a package that a product offers.
type OfferedVersion struct {
	Version     string        `json:"version"`
	PublishedAt web.Timestamp `json:"publishedAt"`
	Size        int64         `json:"size"` // of the archive, in bytes
}

// NewOfferedPackage returns the public JSON form of the releases that a product offers, the highest version first. It
// is nil if there are none.
func NewOfferedPackage(list []release.Release) *OfferedPackage {
	if len(list) == 0 {
		return nil
	}
	r := list[0]
	p := &OfferedPackage{
		Package: NewPackage(r), SignedBy: r.SignedBy, Permissions: append([]string{}, r.Needs.Permissions...),
		Versions: make([]OfferedVersion, len(list)),
	}
	if r.Needs.MinPlatform != "" {
		p.MinPlatform = &r.Needs.MinPlatform
	}
	for i, one := range list {
		p.Versions[i] = OfferedVersion{one.Version, web.Timestamp(one.PublishedAt), one.Size}
	}
	return p
}

// ManagedPackage is the package that a product carries, as administrators see it.
type ManagedPackage struct {
	Package

	ZipHash  string `json:"zipHash"`
	SignedBy string `json:"signedBy"`
	Size     int64  `json:"size"`
}

// NewPackage returns the public JSON form of r.
func NewPackage(r release.Release) Package {
	return Package{Kind: string(r.Kind), Slug: r.Slug, Version: r.Version}
}

// NewManagedPackage returns the JSON form of r for administrators.
func NewManagedPackage(r release.Release) ManagedPackage {
	return ManagedPackage{Package: NewPackage(r), ZipHash: r.ZipHash, SignedBy: r.SignedBy, Size: r.Size}
}
