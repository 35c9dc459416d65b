package order

import (
	"context"
	"time"

	"stoa/internal/audit"
	"stoa/internal/market/license"
	"stoa/internal/market/payment"
)

// Store is what a purchase and its payment write to the database: orders and
// their licences.
type Store interface {
	license.Rows

	// CreateOrder inserts an order, after its licence. It returns an errs.Conflict
	// error when the id is taken.
	CreateOrder(ctx context.Context, o Order) error

	// CountDownload adds one to the product's DownloadCount. It returns an
	// errs.UnknownKey error when there is no such product.
	CountDownload(ctx context.Context, productID string) error

	// OrderByID returns an order. It returns an errs.UnknownKey error when there is
	// none. Inside InTx it stays locked until the transaction ends; an order is read
	// before its licence.
	OrderByID(ctx context.Context, id string) (Order, error)

	// UpdateOrder overwrites how an order is paid and what happened to it: Provider,
	// Payment, PaymentURL, PaidAt, RefundedAt, CancelledAt, PartlyRefunded and EndedAt. It returns an
	// errs.UnknownKey error when there is none.
	UpdateOrder(ctx context.Context, o Order) error

	// AddReceipt puts the receipt of an order that is there into the ReceiptStore, due at
	// once. The receipt of an order is put there once: a second call does nothing.
	AddReceipt(ctx context.Context, orderID string, at time.Time) error

	// AddPaymentEvent records that a provider's event had its effect on an order. It
	// reports false, and changes nothing, if that was recorded before.
	AddPaymentEvent(ctx context.Context, provider string, e payment.Event, orderID string, at time.Time) (bool, error)

	// OrderByPayment returns the order whose payment, or else whose subscription,
	// has that reference at a provider, as OrderByID does.
	OrderByPayment(ctx context.Context, provider string, r payment.Reference) (Order, error)

	// Find returns the orders that a query wants, the newest first, and how
	// many there are on all pages.
	FindOrders(ctx context.Context, q Query) ([]Listed, int, error)

	// UnfinishedOrders returns a hundred orders at most of a provider that are
	// cancelled, paid and not refunded; those that are cancelled or refunded and have
	// a subscription that was not ended; and those that are pending and were created
	// at or before until. It leaves out those that PutOff put off beyond now, or that
	// were tried SweepTries times, and begins with those that wait the longest.
	UnfinishedOrders(ctx context.Context, provider string, until, now time.Time) ([]Unfinished, error)

	// PutOff notes how often an order was tried to finish, and when it is tried next.
	PutOff(ctx context.Context, orderID string, tries int, next time.Time) error

	// Record is as in Store.
	Record(ctx context.Context, e audit.Entry) error

	// InTx is as in Store.
	InTx(ctx context.Context, fn func(Store) error) error
}
