package order

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"stoa/internal/caller"
	"stoa/internal/errs"
	"stoa/internal/mail"
	"stoa/internal/market/license"
	"stoa/internal/periodic"
)

// How receipts are delivered.
const (
	couriers     = 4 // receipts on their way at the same time
	receiptPoll  = 15 * time.Second
	receiptSend  = 20 * time.Second // one attempt, the database included
	receiptLease = 2 * time.Minute  // several times receiptSend: clocks differ
	sweepEvery   = time.Hour

	// ReceiptLife is how long a receipt is tried for.
	ReceiptLife = 3 * 24 * time.Hour
)

// receiptPauses are the waits after the first attempts; the last one is that of
// all others.
var receiptPauses = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour}

// How many receipts an address gets: nobody verified it. Those of free orders
// are counted for themselves, so that they never delay what somebody paid for.
var (
	freeReceipts = Allowance{AtOnce: 10, Every: 144 * time.Minute} // 10 a day
	paidReceipts = Allowance{AtOnce: 100, Every: 15 * time.Minute}
)

// Mailer delivers mail; mail.Sender says how.
type Mailer interface {
	Send(ctx context.Context, m mail.Message) error
}

// Courier mails the receipts in the ReceiptStore. The ReceiptStore is in the database, so
// that no receipt is lost whatever becomes of the process, and several replicas
// share the work. A receipt may be mailed twice, when a process is killed after
// the mail server took it; both are the same mail (mail.Message.ID).
//
// Make it as a literal with all exported fields; whoever starts it closes it. It
// is safe for concurrent use.
type Courier struct {
	Store     ReceiptStore
	Vault     *license.Vault
	Buyers    Buyers
	Mailer    Mailer
	Log       *slog.Logger
	Now       func() time.Time
	PublicURL string
	SiteName  string // what mails call the shop; the host of PublicURL if empty

	all    sync.WaitGroup // what Start started
	mu     sync.Mutex
	cancel context.CancelFunc
	wake   chan struct{} // nil unless started
	busy   mail.Pending  // couriers at work, and calls of Wake not yet heeded
}

// Start delivers what is due in the background, and again whenever Wake is called
// or some seconds have passed, until Close or until ctx is done.
func (c *Courier) Start(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	wake := make(chan struct{}, couriers)
	c.cancel, c.wake = cancel, wake
	for range couriers {
		c.busy.Begin()
		c.all.Go(func() { c.work(ctx, wake) })
	}
	sweep := periodic.Task{Every: sweepEvery, Log: c.Log, Failed: "mail allowances cannot be swept"}
	c.all.Go(func() {
		sweep.Run(ctx, func(ctx context.Context) error { return c.Store.DeleteAllowances(ctx, c.Now()) })
	})
}

// Close returns when what is on its way has been delivered. What is due besides
// stays in the ReceiptStore. It may be called twice, and without Start.
func (c *Courier) Close() {
	c.mu.Lock()
	if c.cancel != nil {
		c.cancel()
	}
	c.wake = nil
	c.mu.Unlock()
	c.all.Wait()
}

// Wake has what is due delivered now, if c was started. It is to be called after
// a transaction that put something into the ReceiptStore, and does not wait. c may be
// nil.
func (c *Courier) Wake() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy.Begin()
	select {
	case c.wake <- struct{}{}: // never, if it is nil
	default: // as many will look as there are
		c.busy.End()
	}
}

// Idle returns nil when everything that was due when Wake was called has been
// tried, or the error of ctx.
func (c *Courier) Idle(ctx context.Context) error { return c.busy.Idle(ctx) }

// work is one of the couriers. It has begun.
func (c *Courier) work(ctx context.Context, wake <-chan struct{}) {
	tick := time.NewTicker(receiptPoll)
	defer tick.Stop()
	for {
		for ctx.Err() == nil && c.deliverNext(ctx) {
		}
		c.busy.End()
		select {
		case <-wake: // has begun for us
		case <-tick.C:
			c.busy.Begin()
		case <-ctx.Done():
			return
		}
	}
}

// deliverNext delivers one receipt and reports whether there may be more. What
// it began it finishes, even if ctx ends.
func (c *Courier) deliverNext(ctx context.Context) (more bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), receiptSend)
	defer cancel()
	defer func() {
		if p := recover(); p != nil { // a bug of one receipt must not end the process
			c.Log.ErrorContext(ctx, "receipt panicked", slog.Any("panic", p))
			more = false
		}
	}()
	lease, now := rand.Text(), c.Now()
	d, ok, err := c.Store.LeaseReceipt(ctx, lease, now, now.Add(receiptLease))
	if err != nil {
		c.Log.ErrorContext(ctx, "receipts cannot be read", slog.Any("err", err))
		return false
	}
	if !ok {
		return false
	}
	if err := c.deliver(ctx, d, lease); err != nil {
		// It is tried again when the lease ends.
		c.Log.ErrorContext(ctx, "receipt not settled", slog.String("orderId", d.OrderID), slog.Any("err", err))
		return false
	}
	return true
}

// deliver sends a receipt and notes what became of it.
func (c *Courier) deliver(ctx context.Context, d DueReceipt, lease string) error {
	now, end := c.Now(), d.Since.Add(ReceiptLife)
	finish := func(s ReceiptState) error { return c.Store.FinishReceipt(ctx, d.OrderID, lease, s, now) }
	log := c.Log.With(slog.String("orderId", d.OrderID), slog.Int("attempts", d.Attempts))
	if !d.Stands || !d.License.RevokedAt.IsZero() {
		return finish(ReceiptDropped)
	}
	to, err := c.address(ctx, d)
	if err == nil && to == "" {
		return finish(ReceiptDropped)
	}
	var later time.Time
	if err == nil && d.Attempts == 1 {
		later, err = c.allow(ctx, d, to, now)
	}
	switch {
	case err != nil:
	case later.IsZero():
		err = c.send(ctx, d, to)
	case later.Before(end):
		return c.Store.PostponeReceipt(ctx, d.OrderID, lease, later, 0)
	default:
		log.WarnContext(ctx, "receipt given up: its address gets too many")
		return finish(ReceiptFailed)
	}
	if err == nil {
		return finish(ReceiptSent)
	}
	next := now.Add(receiptPauses[min(d.Attempts, len(receiptPauses))-1])
	if errors.Is(err, mail.ErrPermanent) || errors.Is(err, mail.ErrMessage) || !next.Before(end) {
		log.ErrorContext(ctx, "receipt given up", slog.Any("err", err))
		return finish(ReceiptFailed)
	}
	log.WarnContext(ctx, "receipt not sent, trying again", slog.Time("next", next), slog.Any("err", err))
	return c.Store.PostponeReceipt(ctx, d.OrderID, lease, next, d.Attempts)
}

// address returns where a receipt goes: to the address of the bill if it is one,
// else to that of the buyer's account, else nowhere.
func (c *Courier) address(ctx context.Context, d DueReceipt) (string, error) {
	if d.Billing.EmailKey() != "" {
		return d.Billing.address(), nil
	}
	if d.UserID == caller.Anonymous {
		return "", nil
	}
	to, err := c.Buyers.Email(ctx, d.UserID)
	if errs.KindOf(err) == errs.NotFound {
		return "", nil
	}
	return to, err
}

// allow counts a receipt against what its address gets. It returns when it may
// be sent, or zero for now.
func (c *Courier) allow(ctx context.Context, d DueReceipt, to string, now time.Time) (time.Time, error) {
	name, allowance := "receipt:free:", freeReceipts
	if d.Amount.Minor > 0 {
		name, allowance = "receipt:paid:", paidReceipts
	}
	return c.Store.Allow(ctx, name+mailboxKey(to), allowance, now)
}

func (c *Courier) send(ctx context.Context, d DueReceipt, to string) error {
	key, err := c.Vault.Open(d.License.KeySealed, d.License.ID)
	if err != nil {
		return fmt.Errorf("market: licence %s: %w", d.License.ID, err)
	}
	return c.Mailer.Send(ctx, receiptMail(d, to, key, siteOf(c.SiteName, c.PublicURL), c.PublicURL))
}

// siteOf names the shop in mails: by its name, or the address it is at.
func siteOf(name, publicURL string) string {
	if name != "" {
		return name
	}
	if u, err := url.Parse(publicURL); err == nil && u.Host != "" {
		return u.Host
	}
	return "this shop"
}
