package review

import (
	"context"
	"time"

	"stoa/internal/shop/product"
)

// Products looks products up. *catalog.Service implements it.
type Products interface {
	// Published returns the published product with that slug, else an errs.NotFound error.
	Published(ctx context.Context, slug string) (product.Product, error)

	// Public returns the product with that slug if it is published or was ever sold, else an
	// errs.NotFound error.
	Public(ctx context.Context, slug string) (product.Product, error)
}

// Service applies the rules of reviews. All fields are required. It is safe for concurrent use.
type Service struct {
	Store    Store
	Products Products
	Now      func() time.Time
}
