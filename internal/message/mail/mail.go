// Package mail sends plain-text mail: over SMTP, or into the log (development).
//
// The rest of the program uses Queue, which sends in the background. So no answer waits for a mail
// server, or reveals by its timing whether there was something to send. A Queue keeps its messages
// in memory only: they are lost if the process is killed. A message
// that must not be lost waits in the database, in an Outbox, or as a receipt (order.Courier); Rounds is
// what both do alike.
//
// The content of a mail belongs to the package that sends it.
package mail

import (
	"context"
	"errors"
	"log/slog"
	"net/mail"
	"strings"
	"unicode"
)

// Time is how mails write a time, which is in UTC.
const Time = "2 January 2006, 15:04 UTC"

// Message is a mail to one person. Text may contain secrets, such as a link that works
// once, and must not be logged.
type Message struct {
	To      string // an address without a name: name@example.com
	Subject string // one line
	Text    string // lines end with a line feed
	HTML    string // what readers that show HTML show instead; empty without

	// Draft, unless it is nil, stands in place of Subject, Text and HTML: the words are chosen when the mail
	// is sent (package template).
	Draft *Draft

	// ID identifies the mail if it is sent more than once: many mailboxes then show it
	// once. It consists of letters, digits and hyphens. If it is empty, each sending
	// gets its own id.
	ID string
}

// Reader is somebody who is written to.
type Reader struct {
	Address  string
	Language string // their choice; empty if they made none
}

// Draft is what a mail is about. Its values may contain secrets, such as a link that works once.
type Draft struct {
	Kind     string // of package template
	Language string // of the reader; "" if it is not known
	Values   map[string]string
}

// MaxAddress is the maximum length of an address in bytes (RFC 5321).
const MaxAddress = 254

// idLetters are the characters of a Message.ID.
const idLetters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// ErrMessage is returned for a message that cannot be sent: its address is not valid,
// or a control character in its subject or id could inject a header.
var ErrMessage = errors.New("mail: the address or the subject cannot be put into a header")

// check returns ErrMessage for a message that must not be sent.
func (m Message) check() error {
	badSubject := m.Subject == "" || strings.ContainsFunc(m.Subject, unicode.IsControl)
	if !Valid(m.To) || badSubject || strings.Trim(m.ID, idLetters) != "" {
		return ErrMessage
	}
	return nil
}

// Valid reports whether s is a single address without a name, angle brackets or
// control characters, so that a message can be sent to it.
func Valid(s string) bool {
	if len(s) > MaxAddress {
		return false
	}
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && a.Name == "" && !strings.ContainsFunc(s, unicode.IsControl)
}

// None drops mails, because nothing is configured that could send them.
type None struct{}

// Send implements Sender.
func (None) Send(_ context.Context, m Message) error { return m.check() }

// Log writes mails into the log instead of sending them. Anyone who reads the log can use their
// secrets: it is for development only.
type Log struct {
	Log *slog.Logger
}

// Send implements Sender.
func (l Log) Send(ctx context.Context, m Message) error {
	if err := m.check(); err != nil {
		return err
	}
	l.Log.InfoContext(ctx, "mail, logged because no SMTP server is configured",
		slog.String("to", m.To), slog.String("subject", m.Subject), slog.String("text", m.Text))
	return nil
}
