package order

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/message/mail"
)

// ReceiptLife is how long the delivery of a receipt is tried.
const ReceiptLife = mail.SendLife

// deliverNext delivers one receipt and reports whether more may be due. It finishes the delivery even
// if ctx ends.
func (c *Courier) deliverNext(ctx context.Context) (more bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(c.Limit, mail.SendLimit))
	defer cancel()
	defer func() {
		if p := recover(); p != nil { // one receipt that triggers a bug must not end the process
			c.Log.ErrorContext(ctx, "receipt panicked", slog.Any("panic", p))
			more = false
		}
	}()
	lease, now := rand.Text(), c.Now()
	d, ok, err := c.Store.LeaseReceipt(ctx, lease, now, now.Add(mail.SendLease))
	if err != nil {
		c.Log.ErrorContext(ctx, "receipts cannot be read", slog.Any("err", err))
		return false
	}
	if !ok {
		return false
	}
	if err := c.deliver(ctx, d, lease); err != nil {
		// The next attempt is when the lease ends.
		c.Log.ErrorContext(ctx, "receipt not settled", slog.String("orderId", d.OrderID), slog.Any("err", err))
		return false
	}
	return true
}

// deliver sends a receipt and records the outcome.
func (c *Courier) deliver(ctx context.Context, d DueReceipt, lease string) error {
	now, end := c.Now(), d.Since.Add(ReceiptLife)
	finish := func(s ReceiptState) error { return c.Store.FinishReceipt(ctx, d.OrderID, lease, s, now) }
	log := c.Log.With(slog.String("orderId", d.OrderID), slog.Int("attempts", d.Attempts))
	if !d.notice() && (!d.Stands || !d.License.RevokedAt.IsZero()) {
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
		log.WarnContext(ctx, "receipt given up: its mailbox gets too many")
		return finish(ReceiptFailed)
	}
	if err == nil {
		return finish(ReceiptSent)
	}
	next := now.Add(mail.SendPause(d.Attempts))
	if errors.Is(err, mail.ErrPermanent) || errors.Is(err, mail.ErrMessage) || !next.Before(end) {
		log.ErrorContext(ctx, "receipt given up", slog.Any("err", err))
		return finish(ReceiptFailed)
	}
	log.WarnContext(ctx, "receipt not sent, trying again", slog.Time("next", next), slog.Any("err", err))
	return c.Store.PostponeReceipt(ctx, d.OrderID, lease, next, d.Attempts)
}

// address returns where a receipt goes: the address of the bill if it is valid, else that of the
// buyer's account, else "".
func (c *Courier) address(ctx context.Context, d DueReceipt) (string, error) {
	if d.Billing.EmailKey() != "" {
		return d.Billing.address(), nil
	}
	if d.guests() {
		return "", nil
	}
	to, err := c.Users.Email(ctx, d.UserID)
	if errs.KindOf(err) == errs.NotFound {
		return "", nil
	}
	return to, err
}

// allow counts a receipt against the allowance of its mailbox. It returns the zero time if the receipt
// may be sent now, otherwise when it may.
func (c *Courier) allow(ctx context.Context, d DueReceipt, to string, now time.Time) (time.Time, error) {
	name, allowance := "receipt:free:", freeReceipts
	if d.Amount.Minor > 0 {
		name, allowance = "receipt:paid:", paidReceipts
	}
	return c.Store.Allow(ctx, name+mailboxKey(to), allowance, now)
}

func (c *Courier) send(ctx context.Context, d DueReceipt, to string) error {
	if d.notice() {
		return c.Mailer.Send(ctx, refundMail(d, to))
	}
	key, err := c.Vault.Open(d.License)
	if err != nil {
		return err
	}
	link, err := c.link(ctx, d, to)
	if err != nil {
		return err
	}
	return c.Mailer.Send(ctx, receiptMail(d, to, key, link))
}
