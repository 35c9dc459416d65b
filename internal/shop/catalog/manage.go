package catalog

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

// Match reports whether a change applies to a revision of a product: the client's
// If-Match. A nil Match accepts every revision.
type Match func(revision string) bool

// Find returns one page of the products on the query's shelf, and how many there are on
// all pages. It returns VALIDATION_ERROR with the issues of the query.
func (s *Service) Find(ctx context.Context, q ListQuery) ([]product.Product, int, error) {
	if err := q.Issues().Err(); err != nil {
		return nil, 0, err
	}
	return s.Store.ListProducts(ctx, q)
}

// Create creates a product from a document: a JSON object with the fields of a product
// in a catalog. It ignores other fields.
//
// It returns VALIDATION_ERROR with every fault of the document, and ErrSlugTaken.
func (s *Service) Create(ctx context.Context, doc []byte) (product.Product, error) {
	d, err := product.ReadProduct(doc)
	if err != nil {
		return product.Product{}, err
	}
	if err := s.checkStored(ctx, d); err != nil {
		return product.Product{}, err
	}
	if err := d.Err(); err != nil {
		return product.Product{}, err
	}
	now := product.Millis(s.Now())
	p := newborn(d.Products[0], now)
	var created product.Product
	err = s.Store.InTx(ctx, func(tx Store) error {
		err := tx.CreateProduct(ctx, p)
		if errs.KindOf(err) == errs.Conflict {
			return ErrSlugTaken.Because(err)
		} else if err != nil {
			return err
		}
		if created, err = tx.ProductBySlug(ctx, p.Slug); err != nil {
			return err
		}
		return tx.Record(ctx, createEntry(ctx, p, now))
	})
	if err == nil {
		s.changed(ctx)
	}
	return created, err
}

// Update changes the fields of a product that a document contains, and returns the
// product as it is afterwards. The document has the form that Create takes;
// product.Patch.Apply says what its fields mean. An update that changes nothing keeps
// the revision and is not recorded.
//
// It returns product.ErrNotFound, ErrStale if match rejects the current revision, and
// VALIDATION_ERROR with every fault of the resulting product.
func (s *Service) Update(ctx context.Context, slug string, doc []byte, match Match) (product.Product, error) {
	patch, err := product.ReadPatch(slug, doc)
	if err != nil {
		return product.Product{}, err
	}
	// Before the transaction, which must not wait for the file system.
	if err := s.checkStored(ctx, patch.Pictures); err != nil {
		return product.Product{}, err
	}
	now := product.Millis(s.Now())
	var updated product.Product
	err = s.Store.InTx(ctx, func(tx Store) error {
		old, err := s.lockProduct(ctx, tx, slug, match)
		if err != nil {
			return err
		}
		updated = old
		p, err := patch.Apply(old)
		if err != nil || product.SameContent(p, old) {
			return err
		}
		p.ID, p.UpdatedAt = old.ID, now
		if err := tx.UpdateProduct(ctx, p); err != nil {
			return err
		}
		if updated, err = tx.ProductBySlug(ctx, slug); err != nil {
			return err
		}
		return tx.Record(ctx, updateEntry(ctx, p, old, product.ChangedFields(old, p), now))
	})
	if err == nil && !updated.Published {
		s.Known.forget(slug) // a draft that was never sold is not public
	}
	if err == nil {
		s.changed(ctx)
	}
	return updated, err
}

// Delete deletes a product that was never sold. Its slug may be used again.
//
// It returns product.ErrNotFound, ErrStale if match rejects the current revision, and
// ErrSold.
func (s *Service) Delete(ctx context.Context, slug string, match Match) error {
	now := product.Millis(s.Now())
	err := s.Store.InTx(ctx, func(tx Store) error {
		p, err := s.lockProduct(ctx, tx, slug, match)
		if err != nil {
			return err
		}
		if err := tx.DeleteProduct(ctx, p.ID); err != nil {
			if errs.KindOf(err) == errs.Conflict {
				return ErrSold.Because(err)
			}
			return err
		}
		return tx.Record(ctx, audit.New(ctx, now, audit.ProductDelete, targetOf(p), audit.Details{"slug": p.Slug}))
	})
	if err == nil {
		s.Known.forget(slug)
		s.changed(ctx)
	}
	return err
}

func targetOf(p product.Product) audit.Target { return audit.Target{Type: "product", ID: p.ID} }

func createEntry(ctx context.Context, p product.Product, now time.Time) audit.Entry {
	return audit.New(ctx, now, audit.ProductCreate, targetOf(p), audit.Details{
		"slug": p.Slug, "published": p.Published,
	})
}

func updateEntry(ctx context.Context, p, old product.Product, fields []string, now time.Time) audit.Entry {
	details := audit.Details{"slug": p.Slug, "fields": fields, "published": p.Published}
	prices := make(map[string]audit.Details)
	for _, t := range p.Detail.Tiers {
		if was, ok := old.Tier(t.ID); ok && was.Price != t.Price {
			prices[t.Name] = audit.Details{"from": was.Price.String(), "to": t.Price.String()}
		}
	}
	if len(prices) > 0 {
		details["prices"] = prices
	}
	return audit.New(ctx, now, audit.ProductUpdate, targetOf(p), details)
}

// lockProduct returns a product, locked until the end of the transaction, if match
// accepts its revision.
func (s *Service) lockProduct(ctx context.Context, tx Store, slug string, match Match) (product.Product, error) {
	if !product.ValidSlug(slug) {
		return product.Product{}, product.ErrNotFound
	}
	p, err := tx.ProductBySlug(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return product.Product{}, product.ErrNotFound
	} else if err != nil {
		return product.Product{}, err
	}
	if match != nil && !match(p.Revision()) {
		return p, ErrStale
	}
	return p, nil
}
