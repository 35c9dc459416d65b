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
}
