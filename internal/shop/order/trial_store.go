package order

import (
	"context"
	"time"

	"stoa/internal/message/mail"
	"stoa/internal/shop/license"
)

// Trials is what trials and the orders that buy them need of the database.
type Trials interface {
	// TakeTrial records the trial of a product by a customer, who has these keys. It reports false if one of them
	// belongs to another trial of the product. Then undo the transaction. Of several at once, one succeeds.
	TakeTrial(ctx context.Context, productID, orderID string, keys []string, at time.Time) (bool, error)

	// OpenFollower returns the id of the pending order that follows for a license, or "".
	OpenFollower(ctx context.Context, licenseID string) (string, error)

	// Siblings returns all orders of a license, the newest first. It locks none.
	Siblings(ctx context.Context, licenseID string) ([]Order, error)

	// Orphans returns at most 100 pending orders that follow, of licenses that were revoked.
	Orphans(ctx context.Context) ([]Order, error)

	// Seated returns the instances that have a seat of a license, the oldest first.
	Seated(ctx context.Context, licenseID string) ([]string, error)

	// AddTerms keeps what the license of an order that follows gets once it is paid. TermsOf returns it, or an
	// errs.NotFound error.
	AddTerms(ctx context.Context, orderID string, t license.Terms) error
	TermsOf(ctx context.Context, o Order) (license.Terms, error)

	// DueTrials returns at most 100 trials of which a mail is due at now. Each is returned until TakeTrialMail took its
	// mail for that end. Revoked ones, and those of a demo, are left out.
	DueTrials(ctx context.Context, now time.Time, t TrialTimes) ([]DueTrial, error)

	// TakeTrialMail records that the mail of a trial about its end is sent: that it is over, or that it will be. It
	// reports false if that was recorded before, if the license has another end by now, or is no trial any more.
	TakeTrialMail(ctx context.Context, l license.License, over bool) (bool, error)

	// AddMail queues a mail. Inside InTx it is part of the transaction.
	AddMail(ctx context.Context, m mail.Sealed) error
}
