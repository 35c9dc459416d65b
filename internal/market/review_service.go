package market

import (
	"context"
	"time"
)

// ReviewProducts is what reviews need of the catalog; CatalogService is one.
type ReviewProducts interface {
	// Get returns the published product with that slug, or an errs.NotFound error.
	Get(ctx context.Context, slug string) (Product, error)

	// Public returns the product with that slug if it is published or was ever sold, else an
	// errs.NotFound error.
	Public(ctx context.Context, slug string) (Product, error)
}

// ReviewService applies the rules of reviews. All fields are required. It is safe for concurrent use.
type ReviewService struct {
	Store    Reviews
	Products ReviewProducts
	Now      func() time.Time
}
