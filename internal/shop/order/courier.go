package order

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/message/mail"
	"stoa/internal/shop/license"
)

const (
	couriers       = 4 // receipts delivered at the same time
	receiptPoll    = 15 * time.Second
	leftoversEvery = time.Hour // how often old allowances and links are deleted
)

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
	SiteName  func(ctx context.Context) string // what mails call the shop

	all    sync.WaitGroup // the goroutines of Start
	mu     sync.Mutex
	cancel context.CancelFunc
	wake   chan struct{} // nil unless started
	busy   mail.Pending  // workers that are busy, and calls of Wake they have not seen yet
}

// Start delivers due receipts in the background: now, whenever Wake is called, and every few seconds,
// until Close is called or ctx is done.
func (c *Courier) Start(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	wake := make(chan struct{}, couriers)
	c.cancel, c.wake = cancel, wake
	for range couriers {
		c.busy.Start()
		c.all.Go(func() { c.work(ctx, wake) })
	}
	sweep := background.Task{Every: leftoversEvery, Log: c.Log, Failed: "mail allowances and links cannot be swept"}
	c.all.Go(func() { sweep.Run(ctx, c.sweep) })
}

// sweep deletes allowances that are whole again, and links that no longer work.
func (c *Courier) sweep(ctx context.Context) error {
	now := c.Now()
	return errors.Join(c.Store.DeleteAllowances(ctx, now), c.Store.DeleteLinks(ctx, now.Add(-LinkLife)))
}

// Close stops the deliveries and returns when those in progress are finished. Other due receipts stay
// queued. It may be called twice, and without Start.
func (c *Courier) Close() {
	c.mu.Lock()
	if c.cancel != nil {
		c.cancel()
	}
	c.wake = nil
	c.mu.Unlock()
	c.all.Wait()
}

// Wake starts the delivery of due receipts now and does not wait for it. Call it after a transaction
// that queued a receipt. It does nothing if c is nil or was not started.
func (c *Courier) Wake() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy.Start()
	select {
	case c.wake <- struct{}{}: // never ready if it is nil
	default: // every worker has been woken already
		c.busy.End()
	}
}

// Idle waits until every receipt that was due when Wake was called has been tried. It returns nil, or
// the error of ctx.
func (c *Courier) Idle(ctx context.Context) error { return c.busy.Idle(ctx) }

// work is the loop of one worker, which counts as busy when it starts.
func (c *Courier) work(ctx context.Context, wake <-chan struct{}) {
	tick := time.NewTicker(receiptPoll)
	defer tick.Stop()
	for {
		for ctx.Err() == nil && c.deliverNext(ctx) {
		}
		c.busy.End()
		select {
		case <-wake: // Wake has counted this worker as busy
		case <-tick.C:
			c.busy.Start()
		case <-ctx.Done():
			return
		}
	}
}
