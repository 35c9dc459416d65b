package testkit

import (
	"context"
	"sync"
	"testing"

	"stoa/internal/mail"
)

// mailbox is a mail.Sender that keeps what is sent.
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

// Mails returns what was mailed since the last call, once everything that was
// asked for has been looked up and sent, and every receipt that is due at the
// clock's time tried. An App whose Mailer an option replaced
// has none.
func (a *App) Mails(tb testing.TB) []mail.Message {
	tb.Helper()
	if err := a.Mail.Idle(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	a.Orders.Courier.Wake()
	if err := a.Orders.Courier.Idle(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	a.mailbox.mu.Lock()
	defer a.mailbox.mu.Unlock()
	sent := a.mailbox.sent
	a.mailbox.sent = nil
	return sent
}
