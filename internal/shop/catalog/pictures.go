package catalog

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"stoa/internal/base/paging"
	"stoa/internal/shop/product"
)

// Listed is a stored picture with what shows it.
type Listed struct {
	Picture

	AddedAt time.Time
	UsedBy  []string // slugs of products, sorted
}

// ListPictures returns one page of the stored pictures, newest first, and how many there are
// on all pages.
func (s *Service) ListPictures(ctx context.Context, limit, offset int) ([]Listed, int, error) {
	files, err := s.Media.List(ctx)
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	total := len(files)
	files = paging.Cut(files, limit, offset)
	list, at := make([]Listed, len(files)), make(map[string]int, len(files))
	for i, f := range files {
		address := product.MediaPath + f.Name()
		list[i] = Listed{AddedAt: f.ModTime().UTC(), Picture: Picture{
			Path: address, Extension: strings.TrimPrefix(path.Ext(f.Name()), "."), Size: int(f.Size()),
		}}
		at[address] = i
	}
	err = s.Store.EachProduct(ctx, func(p product.Product) error {
		shown := append([]string{p.Icon}, p.Screenshots...)
		slices.Sort(shown)
		for _, ref := range slices.Compact(shown) {
			if i, ok := at[ref]; ok {
				list[i].UsedBy = append(list[i].UsedBy, p.Slug)
			}
		}
		return nil
	})
	return list, total, err
}
