package catalog

import (
	"bytes"
	"context"
	"io"

	"stoa/internal/errs"
	"stoa/internal/market/product"
)

// Export writes all products, published or not, as a catalogue, in the order of
// their slugs. Importing it elsewhere makes the same products, whose export is
// the same to the byte.
//
// Pictures that stoa keeps are named by what place returns for the name of each,
// or by their path below /media if place is nil: then they have to be uploaded
// where the catalogue is imported, before it is.
//
// It returns ErrExportTooLarge, and writes nothing, if no import would take it.
func (s *Service) Export(ctx context.Context, w io.Writer, format product.Format, place func(name string) (string, error)) error {
	if format != product.YAML && format != product.JSON {
		var is errs.Issues
		is.Add("format", errs.CodeUnknownValue, "format must be yaml or json.")
		return is.Err()
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
