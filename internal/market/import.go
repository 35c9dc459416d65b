package market

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"time"

	"stoa/internal/audit"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
)

// ImportResult says what an import did, in products.
type ImportResult struct {
	Created, Updated, Unchanged int
}

// Import creates and updates the products of a catalogue, all of them or, if
// anything is wrong, none. Products are told apart by slug. Those that the
// catalogue does not name stay as they are, and so do those that it describes as
// they are: importing a file twice changes nothing.
//
// name is the catalogue's file in fsys; media that it names by relative path is
// read from the same folder and kept by Media.
//
// It returns VALIDATION_ERROR with everything that is wrong with the catalogue.
func (s *Service) Import(ctx context.Context, fsys fs.FS, name string) (ImportResult, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	data, err := readCatalog(fsys, name)
	if err != nil {
		return ImportResult{}, fmt.Errorf("read %s: %w", name, err)
	}
	d := &document{files: true}
	c := d.catalog(data)
	d.checkFiles(c, fsys, path.Dir(name))
	if err := s.checkStored(ctx, d, c.stored); err != nil {
		return ImportResult{}, err
	}
	if err := d.err(); err != nil {
		return ImportResult{}, err
	}
	if err := s.storeFiles(ctx, c, fsys, path.Dir(name)); err != nil {
		return ImportResult{}, err
	}
	return s.save(ctx, c, millis(s.Now()))
}

// ImportBytes is Import of a catalogue that comes without a folder, and so
// without pictures of its own.
func (s *Service) ImportBytes(ctx context.Context, data []byte) (ImportResult, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	d := new(document)
	c := d.catalog(data)
	if err := s.checkStored(ctx, d, c.stored); err != nil {
		return ImportResult{}, err
	}
	if err := d.err(); err != nil {
		return ImportResult{}, err
	}
	return s.save(ctx, c, millis(s.Now()))
}

func readCatalog(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxCatalog+1))
}

// checkFiles reads every picture and keeps none: there may be many.
func (d *document) checkFiles(c Catalog, fsys fs.FS, dir string) {
	seen := make(map[string]error)
	for _, m := range c.files {
		err, known := seen[m.ref]
		if !known {
			_, _, err = readMedia(fsys, dir, m.ref)
			seen[m.ref] = err
		}
		if err != nil {
			d.fault(m.node, m.path, "bad_media", "%s: %s.", m.ref, err)
		}
	}
}

// storeFiles stores every picture and puts its address in the product. What an
// import that fails later leaves behind is stored once more next time, to the
// same name.
func (s *Service) storeFiles(ctx context.Context, c Catalog, fsys fs.FS, dir string) error {
	stored := make(map[string]string)
	for _, m := range c.files {
		address, ok := stored[m.ref]
		if !ok {
			content, extension, err := readMedia(fsys, dir, m.ref)
			if err != nil {
				return fmt.Errorf("%s: %w", m.ref, err)
			}
			file, err := s.Media.Put(ctx, content, extension)
			if err != nil {
				return err
			}
			address = mediaPath + file
			stored[m.ref] = address
		}
		if p := &c.Products[m.product]; m.screenshot < 0 {
			p.Icon = address
		} else {
			p.Screenshots[m.screenshot] = address
		}
	}
	return nil
}

// save writes the products in one transaction. No other catalogue is written
// meanwhile (Catalogue.InTx): what is found here stays as it is until the end.
// Each product is locked until then, so that a purchase or review of it waits.
func (s *Service) save(ctx context.Context, c Catalog, now time.Time) (ImportResult, error) {
	var res ImportResult
	err := s.Catalogue.InTx(ctx, func(tx Catalogue) error {
		res = ImportResult{} // the transaction may run again
		for _, p := range c.Products {
			old, err := tx.ProductBySlug(ctx, p.Slug)
			next := p.upon(old, c.shelved[p.Slug])
			switch {
			case errs.KindOf(err) == errs.NotFound:
				res.Created++
				err = createImported(ctx, tx, p.born(now), now)
			case err != nil:
			case sameContent(next, old) && next.CreatedAt.Equal(old.CreatedAt):
				res.Unchanged++
			default:
				res.Updated++
				err = updateImported(ctx, tx, next, old, now)
			}
			if err != nil {
				return err
			}
		}
		if res.Created+res.Updated == 0 {
			return nil
		}
		return tx.Record(ctx, audit.New(ctx, now, audit.CatalogImport, audit.Target{Type: "catalog"}, audit.Details{
			"created": res.Created, "updated": res.Updated, "unchanged": res.Unchanged,
		}))
	})
	if err != nil {
		return ImportResult{}, err
	}
	return res, nil
}

func createImported(ctx context.Context, tx Catalogue, p Product, now time.Time) error {
	if err := tx.CreateProduct(ctx, p); err != nil {
		return err
	}
	return tx.Record(ctx, audit.New(ctx, now, audit.ProductCreate, target(p), audit.Details{"slug": p.Slug, "published": p.Published}))
}

func updateImported(ctx context.Context, tx Catalogue, p, old Product, now time.Time) error {
	p.UpdatedAt = now
	if err := tx.UpdateProduct(ctx, p); err != nil {
		return err
	}
	fields := changedFields(old, p)
	if !p.CreatedAt.Equal(old.CreatedAt) {
		fields = append(fields, "createdAt")
	}
	return tx.Record(ctx, audit.New(ctx, now, audit.ProductUpdate, target(p), audit.Details{
		"slug": p.Slug, "fields": fields, "published": p.Published,
	}))
}

// upon returns the product of a catalogue as it replaces the one that is there.
// A file that does not say whether a product is published (shelved) must not put
// drafts on sale, and one that does not say when it was created says nothing
// about it. All else that is left out takes its default, for the file is the
// whole product.
func (p Product) upon(old Product, shelved bool) Product {
	p.ID = old.ID
	if !shelved {
		p.Published = old.Published
	}
	if p.CreatedAt.IsZero() {
		p.CreatedAt = old.CreatedAt
	}
	return p
}

// born returns p with what a product has from its beginning.
func (p Product) born(now time.Time) Product {
	p.ID, p.UpdatedAt = cuid2.New(), now
	if p.CreatedAt.IsZero() {
		p.CreatedAt = now
	}
	return p
}

// sameContent reports whether a product of a catalogue says what the stored one
// says already. What the catalogue does not decide is left out: the id, when it
// was stored, and what was counted since.
func sameContent(p, stored Product) bool {
	p.ID, p.CreatedAt, p.UpdatedAt, p.DownloadCount, p.Version = stored.ID, stored.CreatedAt, stored.UpdatedAt, stored.DownloadCount, stored.Version
	p.Rating, p.ReviewCount = stored.Rating, stored.ReviewCount
	return reflect.DeepEqual(normal(p), normal(stored))
}

// normal makes empty lists nil, which the database does not tell apart.
func normal(p Product) Product {
	p.Screenshots, p.Highlights = orNil(p.Screenshots), orNil(p.Highlights)
	d := &p.Detail
	d.Features, d.Tiers, d.FAQ = slices.Clone(orNil(d.Features)), slices.Clone(orNil(d.Tiers)), orNil(d.FAQ)
	for i := range d.Features {
		d.Features[i].Items = orNil(d.Features[i].Items)
	}
	for i := range d.Tiers {
		d.Tiers[i].Features = orNil(d.Tiers[i].Features)
	}
	return p
}

func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}
