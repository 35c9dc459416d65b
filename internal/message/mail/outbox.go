package mail

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"stoa/internal/base/ids"
	"stoa/internal/trust/seal"
)

// OutboxBox is the purpose for which mails in the database are sealed. They are bound to their ids.
const OutboxBox = "mail.outbox"

// Sealed is a message as the database keeps it: its text may hold a link that works once.
type Sealed struct {
	ID        string
	Text      string // the sealed message
	CreatedAt time.Time
}

// DueMail is a message to be sent now.
type DueMail struct {
	Sealed

	Attempts int // including this one
}

// OutboxStore is the messages in the database. The Stores of the domains add to them in the transaction of
// what a message is about.
type OutboxStore interface {
	// LeaseMail returns a message that is due at now, the longest waiting first, and leases it: nobody
	// else gets it before until. ok is false if none is due.
	LeaseMail(ctx context.Context, lease string, now, until time.Time) (m DueMail, ok bool, err error)

	// PostponeMail ends a lease and makes the message due later. It does nothing if the message has
	// another lease by now.
	PostponeMail(ctx context.Context, id, lease string, due time.Time) error

	// DropMail deletes a message. It does nothing if the message has another lease by now.
	DropMail(ctx context.Context, id, lease string) error
}

// Outbox sends messages that must not be lost: they wait in the database, and are tried for SendLife. A
// message may be sent twice if a process is killed after the mail server accepted it; both have the same
// Message.ID.
//
// Create it as a literal with all exported fields. Whoever calls Start must call Close. It is safe for
// concurrent use.
type Outbox struct {
	Store  OutboxStore
	Box    *seal.Box // of OutboxBox
	Mailer Sender
	Log    *slog.Logger
	Now    func() time.Time
	// Words, unless nil, gives a message words beside its draft, for a process of the version before, which knows no
	// drafts and may be the one that sends it.
	Words func(Message) Message
	Limit time.Duration // of one attempt; 0: SendLimit

	rounds Rounds
}

// Seal returns a message for the database.
func (o *Outbox) Seal(m Message) (Sealed, error) {
	m.ID = ids.New()
	if m.Draft != nil && o.Words != nil {
		m = o.Words(m)
	}
	text, err := json.Marshal(m)
	return Sealed{ID: m.ID, Text: o.Box.Seal(text, m.ID), CreatedAt: o.Now()}, err
}

// Start sends due messages in the background: now, whenever Wake is called, and every few seconds, until
// Close is called or ctx is done.
func (o *Outbox) Start(ctx context.Context) { o.rounds.Start(ctx, o.sendNext) }

// Close stops sending and returns when what is being sent is finished. The others stay in the database.
func (o *Outbox) Close() { o.rounds.Close() }

// Wake starts sending what is due now and does not wait for it. Call it after a transaction that added a
// message.
func (o *Outbox) Wake() { o.rounds.Wake() }

// Idle waits until every message that was due when Wake was called has been tried. It returns nil, or the
// error of ctx.
func (o *Outbox) Idle(ctx context.Context) error { return o.rounds.Idle(ctx) }

// sendNext sends one message and reports whether more may be due. It finishes even if ctx ends.
func (o *Outbox) sendNext(ctx context.Context) (more bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(o.Limit, SendLimit))
	defer cancel()
	lease, now := rand.Text(), o.Now()
	d, ok, err := o.Store.LeaseMail(ctx, lease, now, now.Add(SendLease))
	if err != nil {
		o.Log.ErrorContext(ctx, "mails cannot be read", slog.Any("err", err))
		return false
	}
	if !ok {
		return false
	}
	if err := o.settle(ctx, d, lease, o.send(ctx, d)); err != nil {
		// The next attempt is when the lease ends.
		o.Log.ErrorContext(ctx, "mail not settled", slog.String("mail", d.ID), slog.Any("err", err))
		return false
	}
	return true
}

// send opens and sends a message. A mail server that makes the sender panic must not end the process.
func (o *Outbox) send(ctx context.Context, d DueMail) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("mail: panic: %v", p)
		}
	}()
	text, err := o.Box.Open(d.Text, d.ID)
	if err != nil {
		return err
	}
	var m Message
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("mail: a message in the database: %w", err)
	}
	return o.Mailer.Send(ctx, m)
}

// settle records the result of an attempt.
func (o *Outbox) settle(ctx context.Context, d DueMail, lease string, sent error) error {
	if sent == nil {
		return o.Store.DropMail(ctx, d.ID, lease)
	}
	log := o.Log.With(slog.String("mail", d.ID), slog.Int("attempts", d.Attempts), slog.Any("err", sent))
	next := o.Now().Add(SendPause(d.Attempts))
	if errors.Is(sent, ErrPermanent) || errors.Is(sent, ErrMessage) || !next.Before(d.CreatedAt.Add(SendLife)) {
		log.ErrorContext(ctx, "mail given up")
		return o.Store.DropMail(ctx, d.ID, lease)
	}
	log.WarnContext(ctx, "mail not sent, trying again", slog.Time("next", next))
	return o.Store.PostponeMail(ctx, d.ID, lease, next)
}
