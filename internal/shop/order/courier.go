package order

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/message/mail"
	"stoa/internal/shop/license"
)

const leftoversEvery = time.Hour // how often old allowances and links are deleted

// Courier mails the receipts queued in the ReceiptStore. The queue is in the database, so no receipt is
// lost when a process dies, and replicas share the work. A receipt may be mailed twice if a process is
// killed after the mail server accepted it; both mails have the same mail.Message.ID.
//
// Create it as a literal with all exported fields. Whoever calls Start must call Close. It is safe for
// concurrent use.
type Courier struct {
	Store     ReceiptStore
	Vault     *license.Vault
	Users     license.Users
	Mailer    mail.Sender
	Log       *slog.Logger
	Now       func() time.Time
	PublicURL string
	Limit     time.Duration // of one attempt; 0: mail.SendLimit

	rounds mail.Rounds
}

// Start delivers due receipts in the background: now, whenever Wake is called, and every few seconds,
// until Close is called or ctx is done.
func (c *Courier) Start(ctx context.Context) {
	sweep := background.Task{Every: leftoversEvery, Log: c.Log, Failed: "mail allowances and links cannot be swept"}
	c.rounds.Start(ctx, c.deliverNext, func(ctx context.Context) { sweep.Run(ctx, c.sweep) })
}

// sweep deletes allowances that are whole again, and links that no longer work.
func (c *Courier) sweep(ctx context.Context) error {
	now := c.Now()
	return errors.Join(c.Store.DeleteAllowances(ctx, now), c.Store.DeleteLinks(ctx, now.Add(-LinkLife)))
}

// Close stops the deliveries and returns when those in progress are finished. Other due receipts stay
// queued. It may be called twice, and without Start.
func (c *Courier) Close() { c.rounds.Close() }

// Wake starts the delivery of due receipts now and does not wait for it. Call it after a transaction
// that queued a receipt. It does nothing if c is nil or was not started.
func (c *Courier) Wake() {
	if c != nil {
		c.rounds.Wake()
	}
}

// Idle waits until every receipt that was due when Wake was called has been tried. It returns nil, or
// the error of ctx.
func (c *Courier) Idle(ctx context.Context) error { return c.rounds.Idle(ctx) }
