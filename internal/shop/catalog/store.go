package catalog

import (
	"context"
	"io/fs"
	"os"

	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

// Store keeps the products in the database. Package store implements it, and package
// The tests of package store cover every sentence here.
type Store interface {
	// ProductBySlug returns the product with that slug, published or not, with its
	// detail and its translations. It returns an errs.NotFound error if there is none. Inside InTx the
	// product stays locked until the transaction ends.
	ProductBySlug(ctx context.Context, slug string) (product.Product, error)

	// ListProducts returns one page of the products that a query selects, in its
	// order and without their details, and how many there are on all pages at the
	// same moment. They have their translations if the query has a language. A page after
	// the last is empty.
	ListProducts(ctx context.Context, q ListQuery) ([]product.Product, int, error)

	// Categories returns the distinct categories of the published products, sorted by
	// code point.
	Categories(ctx context.Context) ([]string, error)

	// CreateProduct inserts a product. DownloadCount, Rating and ReviewCount start at
	// DownloadBase, RatingBase and ReviewBase. It returns an errs.Conflict error if
	// the id or slug is taken.
	CreateProduct(ctx context.Context, p product.Product) error

	// UpdateProduct overwrites the product with that id, except for its slug, and for
	// CreatedAt if the new one is zero. DownloadCount changes by as much as
	// DownloadBase does, so that purchases stay counted. Rating and ReviewCount are
	// computed from the new bases and the reviews. Version grows by one. It returns an
	// errs.NotFound error if there is no such product.
	UpdateProduct(ctx context.Context, p product.Product) error

	// DeleteProduct deletes the product with that id. It returns an errs.NotFound
	// error if there is none, and an errs.Conflict error if it has a license or an
	// order.
	DeleteProduct(ctx context.Context, id string) error

	// Sold reports whether the product with that id has a license, in any state.
	Sold(ctx context.Context, id string) (bool, error)

	// EachProduct calls fn for every product, published or not, with its detail and its
	// translations, sorted by slug, all as of the same moment. It stops at the first error of fn and
	// returns it.
	EachProduct(ctx context.Context, fn func(product.Product) error) error

	// Record appends an entry to the audit log, as audit.Store does. Inside InTx
	// it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// InTx runs fn on a Store whose calls commit together if fn returns nil and are
	// undone otherwise. Only one such transaction runs at a time across all replicas,
	// so that they cannot deadlock. fn may run more than once.
	InTx(ctx context.Context, fn func(Store) error) error
}

// Media stores the files that products show.
type Media interface {
	// Put stores a file and returns its name, which is made of the content and the
	// extension ("svg"). Storing the same content again changes nothing.
	Put(ctx context.Context, content []byte, extension string) (name string, err error)

	// Get opens the file with that name. The caller closes it. It returns
	// fs.ErrNotExist if there is none, and for a string that is not a name.
	Get(ctx context.Context, name string) (*os.File, error)

	// Remove removes the file with that name. It returns fs.ErrNotExist if there is none,
	// and for a string that is not a name.
	Remove(ctx context.Context, name string) error

	// List returns the files, in no particular order.
	List(ctx context.Context) ([]fs.FileInfo, error)
}
