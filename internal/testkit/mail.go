package testkit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"stoa/internal/message/mail"
)

// mailbox is a mail.Sender that keeps the messages.
type mailbox struct {
	mu   sync.Mutex
	sent []mail.Message
}

// Send implements mail.Sender.
func (b *mailbox) Send(_ context.Context, m mail.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent = append(b.sent, m)
	return nil
}

// Mails returns the mails sent since the last call, except those that ask somebody who
// registered to confirm the address: nearly every test registers somebody. See AllMails.
func (a *App) Mails(tb testing.TB) []mail.Message {
	tb.Helper()
	return slices.DeleteFunc(a.AllMails(tb), func(m mail.Message) bool {
		return m.Subject == "Confirm your e-mail address"
	})
}

// AllMails returns the mails sent since the last call of it or Mails. It first waits until
// the queue is empty and everything that is due in the database has been tried. It must not be
// called if an option has replaced the Mailer.
func (a *App) AllMails(tb testing.TB) []mail.Message {
	tb.Helper()
	if err := a.Mail.Idle(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	a.Orders.Courier.Wake()
	a.Outbox.Wake()
	if err := errors.Join(a.Orders.Courier.Idle(tb.Context()), a.Outbox.Idle(tb.Context())); err != nil {
		tb.Fatal(err)
	}
	a.mailbox.mu.Lock()
	defer a.mailbox.mu.Unlock()
	sent := a.mailbox.sent
	a.mailbox.sent = nil
	return sent
}
