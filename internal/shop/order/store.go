package order

import (
	"context"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/trust/audit"
)

// Store is the orders and their licenses in the database.
type Store interface {
	license.Rows
	discount.Uses
	Trials
	Handoffs
	Followers
	PaymentStore
	RefundStore

	// CreateOrder inserts an order, after its license. It returns an errs.Conflict error when the id is
	// taken.
	CreateOrder(ctx context.Context, o Order) error

	// CountDownload adds one to the product's DownloadCount. It returns an errs.NotFound error when
	// there is no such product.
	CountDownload(ctx context.Context, productID string) error

	// OrderByID returns an order, or an errs.NotFound error. Inside InTx the order stays locked until
	// the transaction ends. Lock an order before its license.
	OrderByID(ctx context.Context, id string) (Order, error)

	// UpdateOrder overwrites how an order is paid and what happened to it: Provider, Payment,
	// PaymentURL, PaidAt, RefundedAt, CancelledAt, PartlyRefunded, EndedAt, Ends and RenewalToldAt. It returns an
	// errs.NotFound error when there is no such order.
	UpdateOrder(ctx context.Context, o Order) error

	// AddReceipt queues the receipt of an order, due at once. Queueing it a second time does nothing.
	AddReceipt(ctx context.Context, orderID string, at time.Time) error

	// AddRefundNotice queues a mail to the buyer about a refund, due at once. If the order is refunded as a whole, it
	// takes the place of the order's receipt, which is no longer due. Queueing it a second time does nothing.
	AddRefundNotice(ctx context.Context, n RefundNotice, at time.Time) error

	// AddPaymentEvent records that a provider's event took effect on an order. It reports false, and
	// changes nothing, if the event was recorded before.
	AddPaymentEvent(ctx context.Context, provider string, e payment.Event, orderID string, at time.Time) (bool, error)

	// OrderByPayment is OrderByID for the order whose payment, or else whose subscription, has that
	// reference at a provider.
	OrderByPayment(ctx context.Context, provider string, r payment.Reference) (Order, error)

	// FindOrders returns one page of the orders that match a query, in its order, and how many there
	// are on all pages.
	FindOrders(ctx context.Context, q Query) ([]Listed, int, error)

	// UnfinishedOrders returns at most 100 orders of a provider that are cancelled and paid, but not
	// refunded; that have a refund due; whose Terms say Undo; that are cancelled or refunded and have a subscription that
	// was not ended; that are reqctx.Deleted's and have one that goes on; or that are pending and have waited. It leaves
	// out orders that PutOff put off beyond now, and those tried SweepTries times. The longest waiting order comes first.
	UnfinishedOrders(ctx context.Context, provider string, waited Waited, now time.Time) ([]Unfinished, error)

	// PutOff records how often an order was tried that had been tried before so often, and when to try it next; zero: at
	// once. So it is when an order gets something new to do: by AddRefundDue, by PutTerms with Undo, and when its account
	// is erased. If it was tried another number of times, by now, that stands: it has something new to do.
	PutOff(ctx context.Context, orderID string, before, tries int, next time.Time) error

	// Record appends an entry to the audit log. Inside InTx it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// Publish sends events to their subscribers. Inside InTx it is part of the transaction.
	Publish(ctx context.Context, list ...event.Event) error

	// InTx runs fn on a Store whose calls are committed together if fn returns nil and undone
	// otherwise. fn may run more than once.
	InTx(ctx context.Context, fn func(Store) error) error
}

// ClaimStore is the claims in the database, and the orders they are for.
type ClaimStore interface {
	// HasUnclaimed reports whether caller.Anonymous has orders whose bill has an e-mail address with
	// that EmailKey.
	HasUnclaimed(ctx context.Context, emailKey string) (bool, error)

	// ClaimOrders gives those orders and their licenses to a user and returns the number of orders.
	ClaimOrders(ctx context.Context, emailKey, userID string) (int, error)

	// CreateClaim inserts a claim. It returns an errs.Conflict error when its hash is taken.
	CreateClaim(ctx context.Context, c Claim) error

	// TakeClaim deletes and returns the claim with that hash, if it is the user's and was created after
	// since. The user's other claims for the same address are deleted too. It returns an errs.NotFound
	// error when there is no such claim. Of several calls at once, one succeeds.
	TakeClaim(ctx context.Context, hash, userID string, since time.Time) (Claim, error)

	// DeleteClaims deletes all claims created at or before until.
	DeleteClaims(ctx context.Context, until time.Time) error

	// Link returns the link with that hash, if it was created after since, or an errs.NotFound error.
	Link(ctx context.Context, hash string, since time.Time) (Link, error)

	// TakeLink deletes the link with that hash, if it was mailed to an address with that EmailKey and was
	// created after since, and with it all other links of the address. It returns an errs.NotFound error
	// when there is no such link. Of several calls at once, one succeeds.
	TakeLink(ctx context.Context, hash, emailKey string, since time.Time) error

	// Allow counts a mail against the allowance of that name. It returns the zero time if the mail may
	// be sent, otherwise when the next one may. However many callers ask at once, the allowance is not
	// exceeded.
	Allow(ctx context.Context, name string, a Allowance, now time.Time) (time.Time, error)

	// InTx is Store.InTx on a ClaimStore.
	InTx(ctx context.Context, fn func(ClaimStore) error) error
}

// ReceiptStore is the queue of receipts in the database. Store.AddReceipt adds to it, in the
// transaction that settles an order, and Store.AddRefundNotice in the one that refunds it; Courier takes
// from it.
type ReceiptStore interface {
	// LeaseReceipt returns one of the receipts due at now, counts an attempt, and makes the receipt due
	// again at until, when the lease of that name ends. It returns false if none is due. Several
	// callers get different receipts.
	LeaseReceipt(ctx context.Context, lease string, now, until time.Time) (DueReceipt, bool, error)

	// PostponeReceipt makes a receipt due at a later time, sets its number of attempts, and ends the
	// lease. It does nothing if another lease was given in the meantime.
	PostponeReceipt(ctx context.Context, orderID, lease string, due time.Time, attempts int) error

	// FinishReceipt records the outcome of a receipt, which is never due again. It does nothing if
	// another lease was given in the meantime.
	FinishReceipt(ctx context.Context, orderID, lease string, s ReceiptState, at time.Time) error

	// CreateLink inserts a link. It returns an errs.Conflict error when its hash is taken.
	CreateLink(ctx context.Context, l Link) error

	// DeleteLinks deletes all links created at or before until.
	DeleteLinks(ctx context.Context, until time.Time) error

	// Allow is ClaimStore.Allow.
	Allow(ctx context.Context, name string, a Allowance, now time.Time) (time.Time, error)

	// DeleteAllowances deletes the records of allowances that are whole again at now.
	DeleteAllowances(ctx context.Context, now time.Time) error
}
