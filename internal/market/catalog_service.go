package market

import (
	"context"
	"sync"
	"time"

	"stoa/internal/errs"
)

// CatalogService lists and manages products. Its exported fields are required. It is safe for
// concurrent use.
type CatalogService struct {
	Store Catalogue
	Media Media
	Now   func() time.Time

	known slugs
	// reading is held while a catalog is imported, one at a time: a catalog takes many times its
	// size in memory while it is read.
	reading sync.Mutex
}

// List returns a page of the published products. It returns VALIDATION_ERROR
// for a query that ListQuery.Issues finds fault with.
func (s *CatalogService) List(ctx context.Context, q ListQuery) (Page, error) {
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

// Get returns the published product with that slug, detail included, or
// ErrProductNotFound.
func (s *CatalogService) Get(ctx context.Context, slug string) (Product, error) {
	p, err := s.Product(ctx, slug)
	if err == nil && !p.Published {
		return Product{}, ErrProductNotFound
	}
	return p, err
}

// Product returns the product with that slug, published or not, detail included,
// or ErrProductNotFound.
func (s *CatalogService) Product(ctx context.Context, slug string) (Product, error) {
	if !ValidSlug(slug) {
		return Product{}, ErrProductNotFound
	}
	p, err := s.Store.ProductBySlug(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return Product{}, ErrProductNotFound
	}
	if err != nil {
		return Product{}, err
	}
	return p, nil
}

// Public returns the product with that slug, or ErrProductNotFound unless it is
// published or a licence of it was sold: what is withdrawn from sale goes on
// working for those who bought it, and of a draft nobody learns that it is there.
func (s *CatalogService) Public(ctx context.Context, slug string) (Product, error) {
	p, err := s.Product(ctx, slug)
	if err != nil {
		return Product{}, err
	}
	if !p.Published {
		if sold, err := s.Store.Sold(ctx, p.ID); err != nil {
			return Product{}, err
		} else if !sold {
			return Product{}, ErrProductNotFound
		}
	}
	s.known.remember(slug, s.Now())
	return p, nil
}

// CheckPublic returns ErrProductNotFound for a product that Public does not return. For one that was
// public within the last second it does not ask the database.
func (s *CatalogService) CheckPublic(ctx context.Context, slug string) error {
	if s.known.has(slug, s.Now()) {
		return nil
	}
	_, err := s.Public(ctx, slug)
	return err
}
