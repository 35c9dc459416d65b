package catalog

import (
	"slices"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/shop/product"
)

// Sort is an order of the product list.
type Sort string

// The orders (contract 3.2). Each falls back to the id, so that pages never overlap.
// SortFeatured puts featured products before the others, both by position, and at the
// same position the most downloaded first. SortPrice compares face values, whatever the
// currency.
const (
	SortFeatured  Sort = "featured"
	SortNewest    Sort = "newest"
	SortRating    Sort = "rating"
	SortDownloads Sort = "downloads"
	SortPrice     Sort = "price"
	SortName      Sort = "name"
)

// Limits of the product list (contract 3.2).
const (
	MaxLimit  = 100
	MaxSearch = 100 // characters of a search
)

// Shelf selects published or unpublished products.
type Shelf int

// The shelves. Only administrators may see drafts, so the zero value leaves them out.
const (
	OnSale   Shelf = iota // published
	Drafts                // not published
	AnyShelf              // both
)

// ListQuery selects products. The zero value of a filter matches every product.
type ListQuery struct {
	Shelf    Shelf
	Page     int // from 1
	Limit    int
	Category string
	Search   string
	Sort     Sort
	Featured *bool
	Trending *bool
	// Language is the canonical tag of the one that products are shown in; empty: their own.
	Language string
}

// Issues returns what is wrong with the query.
func (q ListQuery) Issues() errs.Issues {
	var is errs.Issues
	if q.Page < 1 {
		is.Add("page", errs.CodeOutOfRange, "page must be a whole number from 1.")
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		is.Add("limit", errs.CodeOutOfRange, "limit must be a whole number from 1 to %d.", MaxLimit)
	}
	switch q.Sort {
	case SortFeatured, SortNewest, SortRating, SortDownloads, SortPrice, SortName:
	default:
		is.Add("sort", errs.CodeUnknownValue, "sort must be featured, newest, rating, downloads, price or name.")
	}
	if !text.Printable(q.Search, MaxSearch) {
		is.Add("q", errs.CodeOutOfRange, "q must be at most %d printable characters.", MaxSearch)
	}
	if !text.Printable(q.Category, text.Short) {
		is.Add("category", errs.CodeOutOfRange, "category must be at most %d printable characters.", text.Short)
	}
	return is
}

// Listing is a page of the product list.
type Listing struct {
	Products   []product.Product
	Total      int // on all pages
	Categories []string
}

// Terms returns the distinct words of the search, all of which a product must contain.
func (q ListQuery) Terms() []string {
	terms := strings.Fields(text.Fold(q.Search))
	slices.Sort(terms)
	return slices.Compact(terms)
}
