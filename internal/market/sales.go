package market

import (
	"context"
	"time"
)

// Sales is what a purchase and its payment write to the database: orders and
// their licences.
type Sales interface {
	LicenseRows

	// CreateOrder inserts an order, after its licence. It returns an errs.Conflict
	// error when the id is taken.
	CreateOrder(ctx context.Context, o Order) error

	// CountDownload adds one to the product's DownloadCount. It returns an
	// errs.NotFound error when there is no such product.
	CountDownload(ctx context.Context, productID string) error

	// OrderByID returns an order. It returns an errs.NotFound error when there is
	// none. Inside InTx it stays locked until the transaction ends; an order is read
	// before its licence.
	OrderByID(ctx context.Context, id string) (Order, error)

	// UpdateOrder overwrites how an order is paid and what happened to it: Provider,
	// Payment, PaymentURL, PaidAt, RefundedAt and CancelledAt. It returns an
	// errs.NotFound error when there is none.
	UpdateOrder(ctx context.Context, o Order) error

	// AddReceipt puts the receipt of an order that is there into the Outbox, due at
	// once. The receipt of an order is put there once: a second call does nothing.
	AddReceipt(ctx context.Context, orderID string, at time.Time) error

	// InTx is as in Catalogue.
	InTx(ctx context.Context, fn func(Sales) error) error
}
