package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/base/picture"
	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

// Picture is a stored picture.
type Picture struct {
	Path      string // on this server
	Extension string // "svg", "png", "jpg" or "webp"
	Size      int
}

// AddPicture stores a picture for products to show. Its format is detected from the
// content. Adding the same content again returns the same picture.
//
// It returns ErrPictureTooLarge, and VALIDATION_ERROR for content that
// picture.Extension rejects.
func (s *Service) AddPicture(ctx context.Context, content []byte) (Picture, error) {
	if len(content) > picture.MaxSize {
		return Picture{}, ErrPictureTooLarge
	}
	extension, err := picture.Extension(content)
	if err != nil {
		return Picture{}, errs.Validation(errs.Issue{
			Code: errs.CodeBadMedia, Message: "The picture cannot be used: " + err.Error() + ".",
		})
	}
	name, err := s.Media.Put(ctx, content, extension)
	if err != nil {
		return Picture{}, err
	}
	entry := audit.New(ctx, s.Now(), audit.MediaUpload, audit.Target{Type: "media", ID: name},
		audit.Details{"bytes": len(content)})
	if err := s.Store.Record(ctx, entry); err != nil {
		return Picture{}, err
	}
	return Picture{Path: product.MediaPath + name, Extension: extension, Size: len(content)}, nil
}

// maxNamed is how many products ErrPictureUsed names.
const maxNamed = 20

// DeletePicture deletes a picture that no product shows, by its name below product.MediaPath.
// It returns ErrNoPicture and ErrPictureUsed.
//
// A product that is saved at the same moment may still get the picture. The same content,
// uploaded again, has the same path and mends that.
func (s *Service) DeletePicture(ctx context.Context, name string) error {
	ref := product.MediaPath + name
	if there, err := s.hasPicture(ctx, ref); err != nil {
		return err
	} else if !there {
		return ErrNoPicture
	}
	var names []string
	total := 0
	err := s.Store.EachProduct(ctx, func(p product.Product) error {
		if !p.Shows(ref) {
			return nil
		}
		if total++; total <= maxNamed {
			names = append(names, p.Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if total > 0 {
		return ErrPictureUsed.With("products", names).With("total", total)
	}
	if err := s.Media.Remove(ctx, name); errors.Is(err, fs.ErrNotExist) {
		return ErrNoPicture
	} else if err != nil {
		return err
	}
	target := audit.Target{Type: "media", ID: name}
	return s.Store.Record(ctx, audit.New(ctx, s.Now(), audit.MediaDelete, target, audit.Details{}))
}

// readPicture reads a picture that a catalog in the folder dir of fsys refers to, and returns it with
// its extension. Its errors are parts of sentences for the catalog's author.
func readPicture(fsys fs.FS, dir, ref string) (content []byte, extension string, err error) {
	name := path.Join(dir, ref)
	// Never leave the catalog's folder, even if the file system allows it.
	if !fs.ValidPath(name) || dir != "." && !strings.HasPrefix(name, dir+"/") {
		return nil, "", errors.New("it is outside of the catalog's folder")
	}
	f, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", errors.New("there is no such file")
	} else if err != nil {
		return nil, "", errors.New("it cannot be opened")
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, "", errors.New("it is not a file")
	}
	content, err = io.ReadAll(io.LimitReader(f, picture.MaxSize+1))
	if err != nil {
		return nil, "", errors.New("it cannot be read")
	}
	if len(content) > picture.MaxSize {
		return nil, "", fmt.Errorf("it is larger than %d MiB", picture.MaxSize>>20)
	}
	extension = strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")
	if extension == "jpeg" {
		extension = "jpg"
	}
	if err := picture.Check(extension, content); err != nil {
		return nil, "", err
	}
	return content, extension, nil
}

// checkStored records a fault for each stored picture that is missing, unless the product shows it
// already: a lost picture must not block other changes to its product.
func (s *Service) checkStored(ctx context.Context, d *product.Document) error {
	seen := make(map[string]bool)
	for _, at := range d.Stored {
		there, known := seen[at.Ref]
		if !known {
			var err error
			if there, err = s.hasPicture(ctx, at.Ref); err != nil {
				return err
			}
			seen[at.Ref] = there
		}
		if there {
			continue
		}
		if shown, err := s.showsPicture(ctx, at); err != nil {
			return err
		} else if !shown {
			d.FaultAt(at, "there is no picture %s here; upload it first.", at.Ref)
		}
	}
	return nil
}

// hasPicture reports whether Media has the picture with that path.
func (s *Service) hasPicture(ctx context.Context, ref string) (bool, error) {
	file, err := s.Media.Get(ctx, strings.TrimPrefix(ref, product.MediaPath))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, file.Close()
}

// showsPicture reports whether the product that a picture is meant for shows it already.
func (s *Service) showsPicture(ctx context.Context, at product.PictureRef) (bool, error) {
	p, err := s.Get(ctx, at.Slug)
	if errs.KindOf(err) == errs.NotFound {
		return false, nil
	}
	return err == nil && p.Shows(at.Ref), err
}
