package extension

import "context"

// Origin is the product of another stoa's market that an archive came from. The zero value is for one that was
// uploaded, came with the platform, or is from this stoa's own market.
type Origin struct {
	Market      string // the id of the market
	Product     string // the product's slug
	ProductName string
}

// IsZero reports whether o is the zero value.
func (o Origin) IsZero() bool { return o == Origin{} }

// Same reports whether both are the same product of the same market.
func (o Origin) Same(other Origin) bool {
	return o.Market == other.Market && o.Product == other.Product
}

// Traced is an archive with where it came from.
type Traced struct {
	Kind    Kind
	Slug    string
	ZipHash string // SHA-256 of the archive, in hex
	Origin  Origin
}

// Origins records where archives came from. A Tx has it as Origins() Origins.
type Origins interface {
	// SetOrigin records where an archive of a package came from; the zero Origin forgets it. The error is an
	// errs.Conflict if the market was removed meanwhile.
	SetOrigin(ctx context.Context, t Traced) error

	// Elsewhere reports whether a package is installed that is not from that product of that market. A plugin counts
	// until it is purged.
	Elsewhere(ctx context.Context, kind Kind, slug string, origin Origin) (bool, error)
}
