// Package mail sends plain-text mail: over SMTP, or into the log (development).
//
// Queue is the way to it for the rest of the program: it sends in the
// background, so that no answer waits for a mail server, and no answer tells by
// its time whether there was something to send. What a mail says is its
// sender's business; nothing is kept on disk, so a mail that was not sent when
// the process is killed is lost. Who may not lose one keeps it and calls Sender
// (market.Courier).
package mail

import (
	"context"
	"errors"
	"log/slog"
	"net/mail"
	"strings"
	"unicode"
)

// Message is a mail to one person. Text may hold secrets, such as a link that
// works once: it is not for logs.
type Message struct {
	To      string // a bare address: name@example.com
	Subject string // one line
	Text    string // lines end with a line feed

	// ID, letters, digits and hyphens, makes the mail the same one when it is sent
	// again: many mailboxes show it once. Empty: every sending is a mail of its own.
	ID string
}

// maxAddress is how many bytes an address may have (RFC 5321).
const maxAddress = 254

// idLetters are what a Message.ID may consist of.
const idLetters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// ErrMessage says that a message could not be a mail: its address is none, or a
// header would hold a control character, with which text becomes headers.
var ErrMessage = errors.New("mail: the address or the subject cannot be put into a header")

// check returns ErrMessage for a message that must not be sent.
func (m Message) check() error {
	if !Valid(m.To) || m.Subject == "" || strings.ContainsFunc(m.Subject, unicode.IsControl) || strings.Trim(m.ID, idLetters) != "" {
		return ErrMessage
	}
	return nil
}

// Valid reports whether a message can be sent to s: it is an address alone, with
// no name, no angle brackets, no second address, nothing that could end a
// header.
func Valid(s string) bool {
	if len(s) > maxAddress {
		return false
	}
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && a.Name == "" && !strings.ContainsFunc(s, unicode.IsControl)
}

// None drops mails: nothing that could send them is configured.
type None struct{}

// Send implements Sender.
func (None) Send(_ context.Context, m Message) error { return m.check() }

// Log writes mails into the log instead of sending them. Whoever reads the log
// can use what they hold: it is for development, where nothing else is
// configured.
type Log struct {
	Log *slog.Logger
}

// Send implements Sender.
func (l Log) Send(ctx context.Context, m Message) error {
	if err := m.check(); err != nil {
		return err
	}
	l.Log.InfoContext(ctx, "mail, logged because no SMTP server is configured", slog.String("to", m.To), slog.String("subject", m.Subject), slog.String("text", m.Text))
	return nil
}
