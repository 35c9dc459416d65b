package wire

import "stoa/internal/shop/release"

// Package is the package that a product carries, as everybody sees it.
type Package struct {
	Kind    string `json:"kind"`
	Slug    string `json:"slug"`
	Version string `json:"version"`
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
