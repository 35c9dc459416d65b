package catalog

import (
	"bytes"
	"context"
	"io"

	"stoa/internal/base/errs"
	"stoa/internal/shop/product"
)

// Export writes a catalog of all products, published or not, sorted by slug. Importing
// it into another stoa creates the same products there, and exporting those gives the
// same bytes.
//
// place returns the address to write for a stored picture, by its name. If place is
// nil, pictures keep their path below /media; they must be uploaded to the other stoa
// before the catalog is imported there.
//
// It returns ErrExportTooLarge, and writes nothing, if an import would refuse the
// catalog for its size.
func (s *Service) Export(
	ctx context.Context, w io.Writer, format product.Format, place func(name string) (string, error),
) error {
	if format != product.YAML && format != product.JSON {
		return errs.Validation(errs.Issue{
			Path: "format", Code: errs.CodeUnknownValue, Message: "format must be yaml or json.",
		})
	}
	var products []product.Product
	err := s.Store.EachProduct(ctx, func(p product.Product) error {
		products = append(products, p)
		return nil
	})
	if err != nil {
		return err
	}
	if place != nil {
		for i := range products {
			if err := products[i].ReplacePictures(place); err != nil {
				return err
			}
		}
	}
	var file bytes.Buffer
	if err := product.WriteCatalog(&file, format, products); err != nil {
		return err
	}
	if file.Len() > product.MaxCatalog {
		return ErrExportTooLarge
	}
	_, err = file.WriteTo(w)
	return err
}
