package release

import (
	"cmp"
	"slices"
	"time"

	"stoa/internal/extension"
	"stoa/internal/extension/manifest"
)

// Release is one version of the package that a product carries. Its contents never change.
type Release struct {
	ProductID string

	// Kind and Slug are the same for all releases of a product, and belong to that product
	// alone. Slug is the package's, which may differ from the product's.
	Kind    extension.Kind
	Slug    string
	Version string

	Path        string // of the archive, relative to the data folder
	ZipHash     string // SHA-256 of the archive, in hex
	SignedBy    string // the name of the trusted key that signed it when it was published
	Size        int64  // of the archive, in bytes
	PublishedAt time.Time

	// Described says that Needs and SignerKey were read from the archive. Versions that an older stoa published
	// are not until Service.Describe has.
	Described bool
	SignerKey string // of the signature, as sign.EncodePublic writes it
	Needs     extension.Needs

	// WithdrawnAt is when it was withdrawn: it is not offered any more, and its archive is
	// gone. Zero if it is offered.
	WithdrawnAt time.Time
}

// Offer is a release with the product that carries it.
type Offer struct {
	Release

	ProductSlug string
	ProductName string
}

// Update is a newer version of a package that was installed from the market.
type Update struct {
	Offer

	InstalledVersion string
}

// offered returns those of list that were not withdrawn, the highest version first.
func offered(list []Release) []Release {
	list = slices.DeleteFunc(slices.Clone(list), func(r Release) bool { return !r.WithdrawnAt.IsZero() })
	slices.SortFunc(list, func(a, b Release) int { return manifest.CompareVersions(b.Version, a.Version) })
	return list
}

// name is what a package is known by.
type name struct {
	kind extension.Kind
	slug string
}

// updates returns the highest offer for each package of the market that is higher than what
// is installed of it. What came from other markets is theirs to update.
func updates(installed []extension.Present, offers []Offer) []Update {
	best := make(map[name]Offer)
	for _, o := range offers {
		at := name{o.Kind, o.Slug}
		if old, ok := best[at]; !ok || manifest.CompareVersions(o.Version, old.Version) > 0 {
			best[at] = o
		}
	}
	have := make(map[name]string) // several versions may be installed side by side
	for _, p := range installed {
		at := name{p.Kind, p.Slug}
		if old, ok := have[at]; p.FromMarket && p.Origin.IsZero() && (!ok || manifest.CompareVersions(p.Version, old) > 0) {
			have[at] = p.Version
		}
	}
	var list []Update
	for at, version := range have {
		if o, ok := best[at]; ok && manifest.CompareVersions(o.Version, version) > 0 {
			list = append(list, Update{Offer: o, InstalledVersion: version})
		}
	}
	slices.SortFunc(list, func(a, b Update) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Slug, b.Slug))
	})
	return list
}
