package order

import (
	"context"
	"time"

	"stoa/internal/message/mail"
	"stoa/internal/shop/license"
)

// Trials is what trials need of the database.
type Trials interface {
	// TakeTrial records the trial of a product by a customer, who has these keys. It reports false if one of them
	// belongs to another trial of the product. Then undo the transaction. Of several at once, one succeeds.
	TakeTrial(ctx context.Context, productID, orderID string, keys []string, at time.Time) (bool, error)

	// TakeTrialHost is license.Store's.
	TakeTrialHost(ctx context.Context, productID, host, licenseID string, at time.Time) (bool, error)

	// DueTrials returns at most 100 trials of which a mail is due at now, those that end first: those after a license, of
	// which only the end and the id count. Each is returned until TakeTrialMail took its mail for that end. Revoked ones,
	// those of reqctx.Deleted and those of a demo are left out.
	DueTrials(ctx context.Context, now time.Time, t TrialTimes, after license.License) ([]DueTrial, error)

	// TakeTrialMail records that the mail of a trial about its end is sent: that it is over, or that it will be. It
	// reports false if that was recorded before, if the license has another end or is reqctx.Deleted's by now, or is no
	// trial any more.
	TakeTrialMail(ctx context.Context, l license.License, over bool) (bool, error)

	// Allow is ClaimStore.Allow. Inside InTx it is part of the transaction.
	Allow(ctx context.Context, name string, a Allowance, now time.Time) (time.Time, error)

	// AddMail queues a mail. Inside InTx it is part of the transaction.
	AddMail(ctx context.Context, m mail.Sealed) error
}
