package catalog

import (
	"context"
	"sync"
	"time"

	"stoa/internal/errs"
	"stoa/internal/market/product"
)

// Service lists and manages products. Its exported fields are required. It is safe for
// concurrent use.
type Service struct {
	Store Store
	Media Media
	Known *KnownSlugs
	Now   func() time.Time

	// reading is held during an import, because a catalog takes many times its size in memory while
	// it is read.
	reading sync.Mutex
}

// List returns a page of the published products. It returns VALIDATION_ERROR
// for a query that ListQuery.Issues finds fault with.
func (s *Service) List(ctx context.Context, q ListQuery) (Page, error) {
	if err := errs.Validation(q.Issues()...); err != nil {
		return Page{}, err
	}
	q.Shelf = OnSale
	products, total, err := s.Store.ListProducts(ctx, q)
	if err != nil {
		return Page{}, err
	}
	categories, err := s.Store.Categories(ctx)
	if err != nil {
		return Page{}, err
	}
	return Page{Products: products, Total: total, Categories: categories}, nil
}

// Published returns the published product with that slug, detail included, or
// ErrNotFound.
func (s *Service) Published(ctx context.Context, slug string) (product.Product, error) {
	p, err := s.Get(ctx, slug)
	if err == nil && !p.Published {
		return product.Product{}, product.ErrNotFound
	}
	return p, err
}

// Get returns the product with that slug, published or not, detail included,
// or ErrNotFound.
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

// Public returns the product with that slug, or ErrNotFound unless it is
// published or a licence of it was sold: what is withdrawn from sale goes on
// working for those who bought it, and of a draft nobody learns that it is there.
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

// CheckPublic returns ErrNotFound for a product that Public does not return. For one that was
// public within the last second it does not ask the database.
func (s *Service) CheckPublic(ctx context.Context, slug string) error {
	if s.Known.has(slug, s.Now()) {
		return nil
	}
	_, err := s.Public(ctx, slug)
	return err
}
