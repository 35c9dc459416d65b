package bundle

import (
	"time"

	"stoa/internal/extension"
)

// Bundle is an installed bundle.
type Bundle struct {
	ID         string
	RequestID  string // the id of the request that installed the present version
	Manifest   Manifest
	ZipHash    string // SHA-256 of the archive, in hex
	FromMarket bool
	SignedBy   string // the name of the trusted key that signed it; empty if it is not signed

	// Items are what the items of the present version came to, in its order; then what
	// earlier versions installed and this one does not have, which is not Listed.
	Items []Item

	InstalledAt time.Time
	UpdatedAt   time.Time
}

// Listed returns the items of the present version.
func (b Bundle) Listed() []Item {
	for i, item := range b.Items {
		if !item.Listed {
			return b.Items[:i]
		}
	}
	return b.Items
}

// Item is what an item of a bundle came to.
type Item struct {
	Kind      extension.Kind
	Slug      string
	Version   string
	Outcome   extension.Outcome
	PackageID string // extension.Added.ID

	// Owned says that the bundle installed the package: it was not there before.
	Owned  bool
	Listed bool
}

// same reports whether two items are the same package.
func (i Item) same(other Item) bool { return i.Kind == other.Kind && i.PackageID == other.PackageID }

// Installed is what an install of a bundle came to.
type Installed struct {
	Bundle

	PreviousVersion string // that was upgraded or replaced; empty if the bundle is new
}

// RequestID implements extension.Record.
func (in Installed) RequestID() string { return in.Bundle.RequestID }
