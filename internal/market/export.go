package market

import (
	"bytes"
	"context"
	"io"
	"strings"

	"stoa/internal/audit"
	"stoa/internal/errs"
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
func (s *Service) Export(ctx context.Context, w io.Writer, format Format, place func(name string) (string, error)) error {
	if format != YAML && format != JSON {
		return errs.Validation(errs.Issue{Path: "format", Code: "unknown_value", Message: "format must be yaml or json."})
	}
	var products []Product
	err := s.Catalogue.EachProduct(ctx, func(p Product) error {
		products = append(products, p)
		return nil
	})
	if err != nil {
		return err
	}
	if place != nil {
		for i := range products {
			if err := products[i].movePictures(place); err != nil {
				return err
			}
		}
	}
	var file bytes.Buffer
	if err := WriteCatalog(&file, format, products); err != nil {
		return err
	}
	if file.Len() > MaxCatalog {
		return ErrExportTooLarge
	}
	_, err = file.WriteTo(w)
	return err
}

// movePictures gives each picture that stoa keeps the address that place says.
func (p *Product) movePictures(place func(name string) (string, error)) error {
	pictures := []*string{&p.Icon}
	for i := range p.Screenshots {
		pictures = append(pictures, &p.Screenshots[i])
	}
	for _, at := range pictures {
		name, kept := strings.CutPrefix(*at, mediaPath)
		if !kept {
			continue
		}
		address, err := place(name)
		if err != nil {
			return err
		}
		*at = address
	}
	return nil
}

// Picture is a picture that stoa keeps.
type Picture struct {
	Path      string // on this server
	Extension string // "svg", "png", "jpg" or "webp"
	Size      int
}

// AddPicture keeps a picture for products to show. What it is, its content says.
// The same content again is the same picture.
//
// It returns ErrPictureTooLarge, and VALIDATION_ERROR for what is no picture or
// no harmless one.
func (s *Service) AddPicture(ctx context.Context, content []byte) (Picture, error) {
	if len(content) > MaxPicture {
		return Picture{}, ErrPictureTooLarge
	}
	extension, err := extensionOf(content)
	if err != nil {
		return Picture{}, errs.Validation(errs.Issue{Code: "bad_media", Message: "The picture can not be taken: " + err.Error() + "."})
	}
	name, err := s.Media.Put(ctx, content, extension)
	if err != nil {
		return Picture{}, err
	}
	err = s.Catalogue.Record(ctx, audit.New(ctx, s.Now(), audit.MediaUpload, audit.Target{Type: "media", ID: name}, audit.Details{"bytes": len(content)}))
	if err != nil {
		return Picture{}, err
	}
	return Picture{Path: mediaPath + name, Extension: extension, Size: len(content)}, nil
}
