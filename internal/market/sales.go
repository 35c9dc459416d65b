package market

import "context"

// Sales is what a purchase writes to the database: orders and new licences.
type Sales interface {
	// CreateOrder and CreateLicense insert a row. They return an errs.Conflict
	// error when the id, or the licence's key, is taken. A licence is created
	// before its order, and both after their product.
	CreateOrder(ctx context.Context, o Order) error
	CreateLicense(ctx context.Context, l License) error

	// CountDownload adds one to the product's DownloadCount. It returns an
	// errs.NotFound error when there is no such product.
	CountDownload(ctx context.Context, productID string) error

	// OrderByID returns an order. It returns an errs.NotFound error when there is
	// none.
	OrderByID(ctx context.Context, id string) (Order, error)

	// InTx is as in Catalogue.
	InTx(ctx context.Context, fn func(Sales) error) error
}
