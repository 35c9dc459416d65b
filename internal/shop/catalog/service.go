package catalog

import (
	"context"
	"sync"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/product"
)

// Service lists and manages products. Its exported fields are required unless they say otherwise. It is safe for
// concurrent use.
type Service struct {
	Store Store
	Media Media
	Known *KnownSlugs
	Now   func() time.Time

	// Changed, unless it is nil, is called after products were changed.
	Changed func(ctx context.Context)

	// reading is held during an import, because a catalog takes many times its size in memory while
	// it is read.
	reading sync.Mutex
}

// List returns one page of the published products, in the language of the query. It returns
// VALIDATION_ERROR with the issues of the query.
func (s *Service) List(ctx context.Context, q ListQuery) (Listing, error) {
	if err := q.Issues().Err(); err != nil {
		return Listing{}, err
	}
	q.Shelf = OnSale
	products, total, err := s.Store.ListProducts(ctx, q)
	if err != nil {
		return Listing{}, err
	}
	for i, p := range products {
		products[i] = p.In(q.Language)
	}
	categories, err := s.Store.Categories(ctx)
	if err != nil {
		return Listing{}, err
	}
	return Listing{Products: products, Total: total, Categories: categories}, nil
}

// Published returns the published product with that slug, its detail and its translations, or
// product.ErrNotFound.
func (s *Service) Published(ctx context.Context, slug string) (product.Product, error) {
	p, err := s.Get(ctx, slug)
	if err == nil && !p.Published {
		return product.Product{}, product.ErrNotFound
	}
	return p, err
}

// Get returns the product with that slug, published or not, and its detail, or
// product.ErrNotFound.
func (s *Service) Get(ctx context.Context, slug string) (product.Product, error) {
	if !product.ValidSlug(slug) {
		return product.Product{}, product.ErrNotFound
	}
	p, err := s.Store.ProductBySlug(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return product.Product{}, product.ErrNotFound
	}
	if err != nil {
		return product.Product{}, err
	}
	return p, nil
}

// changed tells of a change that was made.
func (s *Service) changed(ctx context.Context) {
	if s.Changed != nil {
		s.Changed(ctx)
	}
}

// Public returns the product with that slug if it is published or was ever sold, else
// product.ErrNotFound. A product withdrawn from sale keeps working for its buyers, and
// a draft stays secret.
func (s *Service) Public(ctx context.Context, slug string) (product.Product, error) {
	p, err := s.Get(ctx, slug)
	if err != nil {
		return product.Product{}, err
	}
	if !p.Published {
		if sold, err := s.Store.Sold(ctx, p.ID); err != nil {
			return product.Product{}, err
		} else if !sold {
			return product.Product{}, product.ErrNotFound
		}
	}
	s.Known.remember(slug, s.Now())
	return p, nil
}

// CheckPublic returns nil if there is a public product with that slug, else product.ErrNotFound. It
// does not ask the database about a product that was public within the last second.
func (s *Service) CheckPublic(ctx context.Context, slug string) error {
	if s.Known.has(slug, s.Now()) {
		return nil
	}
	_, err := s.Public(ctx, slug)
	return err
}
