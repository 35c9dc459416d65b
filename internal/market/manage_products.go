package market

import (
	"context"

	"stoa/internal/audit"
	"stoa/internal/errs"
)

// ProductMatch says whether a change may be made to a product in that revision:
// a client's If-Match. nil matches every revision.
type ProductMatch func(revision string) bool

// ListAll returns a page of the products on the query's shelf. It returns
// VALIDATION_ERROR for a query that ListQuery.Issues finds fault with.
func (s *CatalogService) ListAll(ctx context.Context, q ListQuery) ([]Product, int, error) {
	if err := errs.Validation(q.Issues()...); err != nil {
		return nil, 0, err
	}
	return s.Store.ListProducts(ctx, q)
}

// CreateProduct makes a product of a document: valid JSON of an object with the
// fields that a product has in a catalogue. Fields that a catalogue does not know
// are ignored.
//
// It returns VALIDATION_ERROR with everything that is wrong with the document,
// and ErrSlugTaken.
func (s *CatalogService) CreateProduct(ctx context.Context, doc []byte) (Product, error) {
	d, err := ReadProduct(doc)
	if err != nil {
		return Product{}, err
	}
	if err := s.checkStored(ctx, d); err != nil {
		return Product{}, err
	}
	if err := d.Err(); err != nil {
		return Product{}, err
	}
	now := Millis(s.Now())
	p := born(d.Products[0], now)
	var created Product
	err = s.Store.InTx(ctx, func(tx Catalogue) error {
		err := tx.CreateProduct(ctx, p)
		if errs.KindOf(err) == errs.Conflict {
			return ErrSlugTaken.Because(err)
		} else if err != nil {
			return err
		}
		if created, err = tx.ProductBySlug(ctx, p.Slug); err != nil {
			return err
		}
		return tx.Record(ctx, audit.New(ctx, now, audit.ProductCreate, target(p), audit.Details{"slug": p.Slug, "published": p.Published}))
	})
	return created, err
}

// UpdateProduct replaces the fields of a product that a document has, as for
// CreateProduct, and returns the product as it is then. null takes a field away,
// as if a catalogue left it out, and leaves published as it is; pricing and
// fullDescription as they follow from other fields at the moment count as not
// sent. Slug and createdAt never change. What changes nothing is not recorded, and
// leaves the revision.
//
// It returns ErrProductNotFound, ErrProductStale if match refuses the present revision,
// and VALIDATION_ERROR with everything that is wrong with the product as it would
// be.
func (s *CatalogService) UpdateProduct(ctx context.Context, slug string, doc []byte, match ProductMatch) (Product, error) {
	patch, err := ReadPatch(slug, doc)
	if err != nil {
		return Product{}, err
	}
	// Files are looked for before the transaction.
	if err := s.checkStored(ctx, patch.Pictures); err != nil {
		return Product{}, err
	}
	now := Millis(s.Now())
	var updated Product
	err = s.Store.InTx(ctx, func(tx Catalogue) error {
		old, err := s.lockProduct(ctx, tx, slug, match)
		if err != nil {
			return err
		}
		updated = old
		p, err := patch.Apply(old)
		if err != nil || SameContent(p, old) {
			return err
		}
		p.ID, p.UpdatedAt = old.ID, now
		if err := tx.UpdateProduct(ctx, p); err != nil {
			return err
		}
		if updated, err = tx.ProductBySlug(ctx, slug); err != nil {
			return err
		}
		return tx.Record(ctx, audit.New(ctx, now, audit.ProductUpdate, target(old), audit.Details{
			"slug": slug, "fields": ChangedFields(old, p), "published": p.Published,
		}))
	})
	if err == nil && !updated.Published {
		s.known.forget(slug) // it may be nobody's any more
	}
	return updated, err
}

// DeleteProduct deletes a product of which nothing was ever sold. Its slug is
// free then.
//
// It returns ErrProductNotFound, ErrProductStale if match refuses the present revision,
// and ErrProductSold.
func (s *CatalogService) DeleteProduct(ctx context.Context, slug string, match ProductMatch) error {
	now := Millis(s.Now())
	err := s.Store.InTx(ctx, func(tx Catalogue) error {
		p, err := s.lockProduct(ctx, tx, slug, match)
		if err != nil {
			return err
		}
		if err := tx.DeleteProduct(ctx, p.ID); err != nil {
			if errs.KindOf(err) == errs.Conflict {
				return ErrProductSold.Because(err)
			}
			return err
		}
		return tx.Record(ctx, audit.New(ctx, now, audit.ProductDelete, target(p), audit.Details{"slug": p.Slug}))
	})
	if err == nil {
		s.known.forget(slug)
	}
	return err
}

func target(p Product) audit.Target { return audit.Target{Type: "product", ID: p.ID} }

// lockProduct returns the product that a transaction is about to change.
func (s *CatalogService) lockProduct(ctx context.Context, tx Catalogue, slug string, match ProductMatch) (Product, error) {
	if !ValidSlug(slug) {
		return Product{}, ErrProductNotFound
	}
	p, err := tx.ProductBySlug(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return Product{}, ErrProductNotFound
	} else if err != nil {
		return Product{}, err
	}
	if match != nil && !match(p.Revision()) {
		return p, ErrProductStale
	}
	return p, nil
}
