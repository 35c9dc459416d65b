package market

import (
	"context"
	"strconv"

	"go.yaml.in/yaml/v4"

	"stoa/internal/audit"
	"stoa/internal/errs"
)

// ProductMatch says whether a change may be made to a product in that revision:
// a client's If-Match. nil matches every revision.
type ProductMatch func(revision string) bool

// Revision names what administrators made of a product. It differs between two
// products too, also if the one took the other's slug. What is counted of a
// product does not change it.
func (p *Product) Revision() string { return p.ID + "-" + strconv.FormatInt(p.Version, 10) }

// ListAll returns a page of the products on the query's shelf. It returns
// VALIDATION_ERROR for a query that ListQuery.Issues finds fault with.
func (s *Service) ListAll(ctx context.Context, q ListQuery) ([]Product, int, error) {
	if err := errs.Validation(q.Issues()...); err != nil {
		return nil, 0, err
	}
	return s.Catalogue.ListProducts(ctx, q)
}

// Product returns the product with that slug, published or not, detail included,
// or ErrProductNotFound.
func (s *Service) Product(ctx context.Context, slug string) (Product, error) {
	return s.product(ctx, slug)
}

// CreateProduct makes a product of a document: valid JSON of an object with the
// fields that a product has in a catalogue. Fields that a catalogue does not know
// are ignored.
//
// It returns VALIDATION_ERROR with everything that is wrong with the document,
// and ErrSlugTaken.
func (s *Service) CreateProduct(ctx context.Context, doc []byte) (Product, error) {
	root, err := parseJSON(doc)
	if err != nil {
		return Product{}, err
	}
	d := &document{bare: true}
	p, c := d.oneProduct(root)
	if err := s.checkStored(ctx, d, c.stored); err != nil {
		return Product{}, err
	}
	if err := d.err(); err != nil {
		return Product{}, err
	}
	now := millis(s.Now())
	p = p.born(now)
	var created Product
	err = s.Catalogue.InTx(ctx, func(tx Catalogue) error {
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
func (s *Service) UpdateProduct(ctx context.Context, slug string, doc []byte, match ProductMatch) (Product, error) {
	patch, err := parseJSON(doc)
	if err != nil {
		return Product{}, err
	}
	// Files are looked for before the transaction, and only those that are new: a
	// picture that got lost must not keep the rest from being changed.
	pictures := &document{bare: true}
	if err := s.checkPictures(ctx, pictures, slug, patch); err != nil {
		return Product{}, err
	}
	now := millis(s.Now())
	var updated Product
	err = s.Catalogue.InTx(ctx, func(tx Catalogue) error {
		old, err := s.lockProduct(ctx, tx, slug, match)
		if err != nil {
			return err
		}
		updated = old
		p, err := old.patched(patch, pictures)
		if err != nil || sameContent(p, old) {
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
			"slug": slug, "fields": changedFields(old, p), "published": p.Published,
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
func (s *Service) DeleteProduct(ctx context.Context, slug string, match ProductMatch) error {
	now := millis(s.Now())
	err := s.Catalogue.InTx(ctx, func(tx Catalogue) error {
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
func (s *Service) lockProduct(ctx context.Context, tx Catalogue, slug string, match ProductMatch) (Product, error) {
	if !validSlug(slug) {
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

// oneProduct reads a document of one product.
func (d *document) oneProduct(root *yaml.Node) (Product, Catalog) {
	var c Catalog
	return productReader{document: d, catalog: &c}.product(root, ""), c
}

// checkPictures reports the pictures of a patch that should be here and are not.
// Everything else about them is found when the whole product is read.
func (s *Service) checkPictures(ctx context.Context, d *document, slug string, patch *yaml.Node) error {
	scratch := &document{bare: true}
	var c Catalog
	productReader{document: scratch, catalog: &c, slug: slug}.media(scratch.object(patch, "", productFields...), 0)
	return s.checkStored(ctx, d, c.stored)
}

// patched returns the product with the fields of a patch, or VALIDATION_ERROR
// with what is wrong with it and what was found wrong before.
func (p Product) patched(patch *yaml.Node, found *document) (Product, error) {
	d := &document{bare: true}
	fields := d.object(patch, "", productFields...).fields
	p.dropDerived(fields)
	if n, ok := fields["published"]; ok && n.ShortTag() == "!!null" {
		delete(fields, "published") // its default would put a draft on sale (upon)
	}
	merged := new(tree)
	for old := productTree(p).Content; len(old) > 0; old = old[2:] {
		if _, replaced := fields[old[0].Value]; !replaced {
			merged.add(old[0].Value, old[1])
		}
	}
	for _, name := range productFields { // in one order, for faults to be in
		if value, ok := fields[name]; ok {
			merged.add(name, value)
		}
	}
	next, _ := d.oneProduct(merged.node())
	if next.Slug != "" && next.Slug != p.Slug {
		d.issues.add("slug", "read_only", "slug never changes: addresses and licences are bound to it.")
	}
	if !next.CreatedAt.IsZero() && !next.CreatedAt.Equal(p.CreatedAt) {
		d.issues.add("createdAt", "read_only", "createdAt never changes.")
	}
	d.issues = append(d.issues, found.issues...)
	d.more += found.more
	return next, d.err()
}

// dropDerived takes the fields from a patch that say what p shows because of its
// other fields: who reads a product, changes a tier and sends all of it back does
// not mean to keep the old price of lists.
func (p Product) dropDerived(fields map[string]*yaml.Node) {
	scratch := &document{bare: true}
	sent := object{doc: scratch, fields: fields}
	if _, ok := sent.get("fullDescription"); ok && p.Detail.FullDescription == p.Description && sent.text("fullDescription", maxArticle) == p.Description {
		delete(fields, "fullDescription")
	}
	if _, ok := sent.get("pricing"); ok && p.Pricing == listPrice(p.Detail.Tiers) {
		r := productReader{document: scratch}
		if r.pricing(sent, nil) == p.Pricing && len(scratch.issues) == 0 {
			delete(fields, "pricing")
		}
	}
}

// changedFields names the fields in which two states of a product differ.
func changedFields(a, b Product) []string {
	fields := func(p Product) map[string]string {
		out := make(map[string]string)
		for t := productTree(p).Content; len(t) > 0; t = t[2:] {
			out[t[0].Value] = string(appendJSON(nil, t[1]))
		}
		return out
	}
	was, is := fields(a), fields(b)
	var changed []string
	for _, name := range productFields {
		if name != "createdAt" && was[name] != is[name] {
			changed = append(changed, name)
		}
	}
	return changed
}
