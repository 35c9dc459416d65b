package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/message/mail"
)

// Mails implements mail.OutboxStore.
type Mails struct{ database.Conn }

var _ mail.OutboxStore = (*Mails)(nil)

// NewMails returns the mails of db that wait to be sent.
func NewMails(db *database.DB) *Mails { return &Mails{db.Conn()} }

// AddMail implements account.Store.
func (a *Account) AddMail(ctx context.Context, m mail.Sealed) error { return addMail(ctx, a.Conn, m) }

func addMail(ctx context.Context, tx database.Conn, m mail.Sealed) error {
	_, err := tx.Write.ExecContext(ctx, `
		INSERT INTO mails (id, sealed, due_ms, created_at_ms) VALUES ($1, $2, $3, $3)`,
		m.ID, m.Text, database.Millis(m.CreatedAt))
	return err
}

// LeaseMail implements mail.OutboxStore.
func (s *Mails) LeaseMail(
	ctx context.Context, lease string, now, until time.Time,
) (d mail.DueMail, ok bool, err error) {
	// Usually nothing is due. This query finds that out without a transaction.
	err = s.Read.QueryRowContext(ctx, `SELECT id FROM mails WHERE due_ms <= $1 LIMIT 1`, database.Millis(now)).Scan(&d.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return mail.DueMail{}, false, nil
	} else if err != nil {
		return mail.DueMail{}, false, err
	}
	err = s.InShortTx(ctx, func(tx database.Conn) error {
		// The first replica to get here locks the mail; others skip it and take the next.
		err := tx.Read.QueryRowContext(ctx, `
			SELECT m.id, m.sealed, m.attempts + 1, m.created_at_ms FROM mails m WHERE m.due_ms <= $1
			ORDER BY m.due_ms, m.id
			LIMIT 1`+tx.LockFree("m"), database.Millis(now)).
			Scan(&d.ID, &d.Text, &d.Attempts, database.ScanMillis(&d.CreatedAt))
		if err != nil {
			return err
		}
		_, err = tx.Write.ExecContext(ctx, `UPDATE mails SET lease = $1, due_ms = $2, attempts = $3 WHERE id = $4`,
			lease, database.Millis(until), d.Attempts, d.ID)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) { // another replica was faster
		return mail.DueMail{}, false, nil
	}
	return d, err == nil, err
}

// PostponeMail implements mail.OutboxStore.
func (s *Mails) PostponeMail(ctx context.Context, id, lease string, due time.Time) error {
	return s.InShortTx(ctx, func(tx database.Conn) error {
		_, err := tx.Write.ExecContext(ctx, `UPDATE mails SET lease = '', due_ms = $1 WHERE id = $2 AND lease = $3`,
			database.Millis(due), id, lease)
		return err
	})
}

// DropMail implements mail.OutboxStore.
func (s *Mails) DropMail(ctx context.Context, id, lease string) error {
	return s.InShortTx(ctx, func(tx database.Conn) error {
		_, err := tx.Write.ExecContext(ctx, `DELETE FROM mails WHERE id = $1 AND lease = $2`, id, lease)
		return err
	})
}
