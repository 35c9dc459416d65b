package catalog

import (
	"context"

	"stoa/internal/audit"
	"stoa/internal/errs"
	"stoa/internal/market/product"
)

// Match says whether a change may be made to a product in that revision:
// a client's If-Match. nil matches every revision.
type Match func(revision string) bool

// Find returns a page of the products on the query's shelf. It returns
// VALIDATION_ERROR for a query that ListQuery.Issues finds fault with.
func (s *Service) Find(ctx context.Context, q ListQuery) ([]product.Product, int, error) {
	if err := errs.Validation(q.Issues()...); err != nil {
		return nil, 0, err
	}
	return s.Store.ListProducts(ctx, q)
}

// Create makes a product of a document: valid JSON of an object with the
// fields that a product has in a catalogue. Fields that a catalogue does not know
// are ignored.
//
// It returns VALIDATION_ERROR with everything that is wrong with the document,
// and ErrSlugTaken.
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
	p := born(d.Products[0], now)
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
		return tx.Record(ctx, audit.New(ctx, now, audit.ProductCreate, targetOf(p), audit.Details{"slug": p.Slug, "published": p.Published}))
	})
	return created, err
}

// Update replaces the fields of a product that a document has, as for
// Create, and returns the product as it is then. null takes a field away,
// as if a catalogue left it out, and leaves published as it is; pricing and
// fullDescription as they follow from other fields at the moment count as not
// sent. Slug and createdAt never change. What changes nothing is not recorded, and
// leaves the revision.
//
// It returns ErrNotFound, ErrStale if match refuses the present revision,
// and VALIDATION_ERROR with everything that is wrong with the product as it would
// be.
func (s *Service) Update(ctx context.Context, slug string, doc []byte, match Match) (product.Product, error) {
	patch, err := product.ReadPatch(slug, doc)
	if err != nil {
		return product.Product{}, err
	}
	// Files are looked for before the transaction.
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
		return tx.Record(ctx, audit.New(ctx, now, audit.ProductUpdate, targetOf(old), audit.Details{
			"slug": slug, "fields": product.ChangedFields(old, p), "published": p.Published,
		}))
	})
	if err == nil && !updated.Published {
		s.Known.forget(slug) // it may be nobody's any more
	}
	return updated, err
}

// Delete deletes a product of which nothing was ever sold. Its slug is
// free then.
//
// It returns ErrNotFound, ErrStale if match refuses the present revision,
// and ErrSold.
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
	}
	return err
}

func targetOf(p product.Product) audit.Target { return audit.Target{Type: "product", ID: p.ID} }

// lockProduct returns the product that a transaction is about to change.
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
