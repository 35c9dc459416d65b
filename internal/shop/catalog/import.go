package catalog

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

// ImportResult counts what an import did with the products of a catalog.
type ImportResult struct {
	Created, Updated, Unchanged int
}

// Import creates and updates products from a catalog file. It imports all of them or,
// if anything is wrong, none. A product is identified by its slug. Products that the
// catalog does not mention stay as they are. Importing a file twice changes nothing.
//
// name is the catalog's file in fsys. Pictures with a relative path are read from its
// folder and stored in Media.
//
// It returns VALIDATION_ERROR with every fault of the catalog.
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

// ImportBytes is Import for a catalog without a folder, which cannot bring pictures
// along.
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

// checkFiles records a fault for each picture file that cannot be used. It keeps none in
// memory: there may be many.
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

// storeFiles stores the picture files and puts their addresses into the products. If the import
// fails later, they stay, and the next attempt finds them under the same names.
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

// save writes the products in one transaction. No other transaction of a catalog.Store
// runs meanwhile (Store.InTx), and purchases and reviews wait for the products that are
// locked here.
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
				err = createImported(ctx, tx, newborn(p, now), now)
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
		details := audit.Details{"created": res.Created, "updated": res.Updated, "unchanged": res.Unchanged}
		return tx.Record(ctx, audit.New(ctx, now, audit.CatalogImport, audit.Target{Type: "catalog"}, details))
	})
	if err != nil {
		return ImportResult{}, err
	}
	s.changed(ctx)
	return res, nil
}

func createImported(ctx context.Context, tx Store, p product.Product, now time.Time) error {
	if err := tx.CreateProduct(ctx, p); err != nil {
		return err
	}
	return tx.Record(ctx, createEntry(ctx, p, now))
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
	return tx.Record(ctx, updateEntry(ctx, p, old, fields, now))
}

// newborn returns p with a new id and the time of its creation.
func newborn(p product.Product, now time.Time) product.Product {
	p.ID, p.UpdatedAt = ids.New(), now
	if p.CreatedAt.IsZero() {
		p.CreatedAt = now
	}
	return p
}
