package catalog

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"stoa/internal/audit"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
	"stoa/internal/market/product"
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
	d := product.ReadCatalog(data, true)
	checkFiles(d, fsys, path.Dir(name))
	if err := s.checkStored(ctx, d); err != nil {
		return ImportResult{}, err
	}
	if err := d.Err(); err != nil {
		return ImportResult{}, err
	}
	if err := s.storeFiles(ctx, d, fsys, path.Dir(name)); err != nil {
		return ImportResult{}, err
	}
	return s.save(ctx, d, product.Millis(s.Now()))
}

// ImportBytes is Import of a catalogue that comes without a folder, and so
// without pictures of its own.
func (s *Service) ImportBytes(ctx context.Context, data []byte) (ImportResult, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	d := product.ReadCatalog(data, false)
	if err := s.checkStored(ctx, d); err != nil {
		return ImportResult{}, err
	}
	if err := d.Err(); err != nil {
		return ImportResult{}, err
	}
	return s.save(ctx, d, product.Millis(s.Now()))
}

func readCatalog(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, product.MaxCatalog+1))
}

// checkFiles reads every picture and keeps none, since there may be many.
func checkFiles(d *product.Document, fsys fs.FS, dir string) {
	seen := make(map[string]error)
	for _, at := range d.Files {
		err, known := seen[at.Ref]
		if !known {
			_, _, err = readPicture(fsys, dir, at.Ref)
			seen[at.Ref] = err
		}
		if err != nil {
			d.FaultAt(at, "%s: %s.", at.Ref, err)
		}
	}
}

// storeFiles stores every picture and puts its address in the product. What an import that fails
// later leaves behind is stored again next time, under the same name.
func (s *Service) storeFiles(ctx context.Context, d *product.Document, fsys fs.FS, dir string) error {
	stored := make(map[string]string)
	for _, at := range d.Files {
		address, ok := stored[at.Ref]
		if !ok {
			content, extension, err := readPicture(fsys, dir, at.Ref)
			if err != nil {
				return fmt.Errorf("%s: %w", at.Ref, err)
			}
			file, err := s.Media.Put(ctx, content, extension)
			if err != nil {
				return err
			}
			address = product.MediaPath + file
			stored[at.Ref] = address
		}
		d.Place(at, address)
	}
	return nil
}

// save writes the products in one transaction. No other catalogue is written
// meanwhile (Store.InTx): what is found here stays as it is until the end.
// Each product is locked until then, so that a purchase or review of it waits.
func (s *Service) save(ctx context.Context, d *product.Document, now time.Time) (ImportResult, error) {
	var res ImportResult
	err := s.Store.InTx(ctx, func(tx Store) error {
		res = ImportResult{} // the transaction may run again
		for _, p := range d.Products {
			old, err := tx.ProductBySlug(ctx, p.Slug)
			next := d.Upon(old, p)
			switch {
			case errs.KindOf(err) == errs.NotFound:
				res.Created++
				err = createImported(ctx, tx, born(p, now), now)
			case err != nil:
			case product.SameContent(next, old) && next.CreatedAt.Equal(old.CreatedAt):
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

func createImported(ctx context.Context, tx Store, p product.Product, now time.Time) error {
	if err := tx.CreateProduct(ctx, p); err != nil {
		return err
	}
	return tx.Record(ctx, audit.New(ctx, now, audit.ProductCreate, targetOf(p), audit.Details{"slug": p.Slug, "published": p.Published}))
}

func updateImported(ctx context.Context, tx Store, p, old product.Product, now time.Time) error {
	p.UpdatedAt = now
	if err := tx.UpdateProduct(ctx, p); err != nil {
		return err
	}
	fields := product.ChangedFields(old, p)
	if !p.CreatedAt.Equal(old.CreatedAt) {
		fields = append(fields, "createdAt")
	}
	return tx.Record(ctx, audit.New(ctx, now, audit.ProductUpdate, targetOf(p), audit.Details{
		"slug": p.Slug, "fields": fields, "published": p.Published,
	}))
}

// born returns p with what a product has from its beginning.
func born(p product.Product, now time.Time) product.Product {
	p.ID, p.UpdatedAt = cuid2.New(), now
	if p.CreatedAt.IsZero() {
		p.CreatedAt = now
	}
	return p
}
