package catalog

import (
	"context"
	"os"

	"stoa/internal/audit"
	"stoa/internal/market/product"
)

// Store is the products in the database. Package store implements it and
// package storetest holds its conformance tests, as for Store.
type Store interface {
	// ProductBySlug returns the product with that slug, published or not, detail
	// included. It returns an errs.UnknownKey error when there is none. Inside InTx
	// the product stays locked until the transaction ends.
	ProductBySlug(ctx context.Context, slug string) (product.Product, error)

	// ListProducts returns one page of the products that a query wants, in its
	// order and without their details, and how many there are on all pages at that
	// same moment. A page beyond the last is empty.
	ListProducts(ctx context.Context, q ListQuery) ([]product.Product, int, error)

	// Categories returns the categories of all published products, each once,
	// sorted by code point.
	Categories(ctx context.Context) ([]string, error)

	// Create inserts a product, with its DownloadBase as DownloadCount, its
	// RatingBase as Rating and its ReviewBase as ReviewCount. It returns an
	// errs.Conflict error when the id or slug is taken.
	CreateProduct(ctx context.Context, p product.Product) error

	// Update overwrites the product with that id but for its slug. Its
	// CreatedAt stays if the new one is zero. DownloadCount changes by what DownloadBase changes: purchases that
	// were counted stay counted. Rating and ReviewCount are worked out anew from the
	// bases and the reviews there are. Version grows by one. It returns an errs.UnknownKey error when there
	// is none.
	UpdateProduct(ctx context.Context, p product.Product) error

	// Delete removes the product with that id. It returns an errs.UnknownKey
	// error when there is none, and an errs.Conflict error when a licence or an
	// order is of it.
	DeleteProduct(ctx context.Context, id string) error

	// Sold reports whether there is a licence of the product with that id, in any
	// state.
	Sold(ctx context.Context, id string) (bool, error)

	// EachProduct calls fn for every product, published or not, detail included, in
	// the order of their slugs: all as they were at one moment. It ends with the
	// first error of fn, and returns it.
	EachProduct(ctx context.Context, fn func(product.Product) error) error

	// Record appends an entry to the audit log, as audit.Store does. Inside InTx
	// it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// InTx runs fn on a Store whose calls commit together if fn returns nil and
	// are all undone otherwise. One runs at a time, on all replicas together, so that
	// none ever waits for another that waits for it. fn may run again if the database
	// asks for it.
	InTx(ctx context.Context, fn func(Store) error) error
}

// Media keeps the files that products show.
type Media interface {
	// Put stores a file under a name made of its content and the extension ("svg"),
	// and returns that name. The same content twice is one file.
	Put(ctx context.Context, content []byte, extension string) (name string, err error)

	// Published returns the file of that name, which the caller closes. It returns
	// fs.ErrNotExist for one that is not there, and for what is no name.
	Get(ctx context.Context, name string) (*os.File, error)
}
