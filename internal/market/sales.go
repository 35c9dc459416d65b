package market

import "context"

// Sales is what a purchase writes to the database: orders and new licences.
type Sales interface {
	LicenseRows

	// CreateOrder inserts an order, after its licence. It returns an errs.Conflict
	// error when the id is taken.
	CreateOrder(ctx context.Context, o Order) error

	// CountDownload adds one to the product's DownloadCount. It returns an
	// errs.NotFound error when there is no such product.
	CountDownload(ctx context.Context, productID string) error

	// OrderByID returns an order. It returns an errs.NotFound error when there is
	// none.
	OrderByID(ctx context.Context, id string) (Order, error)

	// InTx is as in Catalogue.
	InTx(ctx context.Context, fn func(Sales) error) error
}
