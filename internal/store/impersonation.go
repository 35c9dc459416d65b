package store

import (
	"context"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/impersonate"
	"stoa/internal/data/database"
)

// Impersonations implements impersonate.Store.
type Impersonations struct{ *Account }

var _ impersonate.Store = (*Impersonations)(nil)

// NewImpersonations returns the impersonations among the sessions of a.
func NewImpersonations(a *Account) *Impersonations { return &Impersonations{a} }

// InTx implements impersonate.Store.
func (i *Impersonations) InTx(ctx context.Context, fn func(impersonate.Store) error) error {
	return i.Account.InTx(ctx, func(tx account.Store) error {
		return fn(&Impersonations{tx.(*Account)}) //nolint:forcetypeassert // Account makes no other
	})
}

// AddImpersonation implements impersonate.Store.
func (i *Impersonations) AddImpersonation(ctx context.Context, one impersonate.Impersonation) error {
	_, err := i.Write.ExecContext(ctx, `
		INSERT INTO impersonations (id, staff_id, user_id, reason, writable, created_at_ms, ends_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		one.ID, one.Staff.ID, one.User.ID, one.Reason, one.Writable, database.Millis(one.CreatedAt),
		database.Millis(one.EndsAt))
	return err
}

const impersonationColumns = `m.id, m.staff_id, COALESCE(st.username, ''), m.user_id, COALESCE(u.username, ''),
	m.reason, m.writable, m.created_at_ms, m.ends_at_ms, nullif(m.ended_at_ms, 0)`

const impersonationsWithNames = `
	FROM impersonations m
	LEFT JOIN users st ON st.id = m.staff_id
	LEFT JOIN users u ON u.id = m.user_id`

func scanImpersonation(row database.Scanner) (one impersonate.Impersonation, err error) {
	err = row.Scan(&one.ID, &one.Staff.ID, &one.Staff.Name, &one.User.ID, &one.User.Name, &one.Reason, &one.Writable,
		database.ScanMillis(&one.CreatedAt), database.ScanMillis(&one.EndsAt), database.ScanMillis(&one.EndedAt))
	return one, err
}

// Impersonation implements impersonate.Store.
func (i *Impersonations) Impersonation(ctx context.Context, id string) (impersonate.Impersonation, error) {
	one, err := scanImpersonation(i.Read.QueryRowContext(ctx,
		`SELECT `+impersonationColumns+impersonationsWithNames+` WHERE m.id = $1`, id))
	return one, i.Wrap(err, "Impersonation")
}

// ListImpersonations implements impersonate.Store.
func (i *Impersonations) ListImpersonations(
	ctx context.Context, q impersonate.Query,
) ([]impersonate.Impersonation, int, error) {
	count, list := impersonationsOf(q)
	var total int
	if err := i.Read.QueryRowContext(ctx, count.text, count.args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	page, err := database.All(ctx, i.Read, scanImpersonation, list.text, list.args...)
	return page, total, err
}

// statement is a query and what its places stand for.
type statement struct {
	text string
	args []any
}

// impersonationsOf returns what counts those that q selects, and what reads a page of them.
func impersonationsOf(q impersonate.Query) (count, list statement) {
	var where database.Where
	if q.UserID != "" {
		where.And(`m.user_id = $1`, q.UserID)
	}
	if q.Open {
		where.And(`m.ended_at_ms = 0`) // as the index of open ones says it
	}
	page, args := where.Page(q.Limit, q.Offset)
	return statement{`SELECT count(*) FROM impersonations m` + where.String(), where.Args()},
		statement{`SELECT ` + impersonationColumns + impersonationsWithNames + where.String() +
			` ORDER BY m.created_at_ms DESC, m.id DESC` + page, args}
}

// NoteEnd implements impersonate.Store.
func (i *Impersonations) NoteEnd(ctx context.Context, id string, at time.Time) (bool, error) {
	res, err := i.Write.ExecContext(ctx, `UPDATE impersonations SET ended_at_ms = $1 WHERE id = $2 AND ended_at_ms = 0`,
		database.Millis(at), id)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// DeleteImpersonations implements impersonate.Store.
func (i *Impersonations) DeleteImpersonations(ctx context.Context, before time.Time) error {
	_, err := i.Write.ExecContext(ctx, `DELETE FROM impersonations WHERE created_at_ms < $1 AND ended_at_ms <> 0`,
		database.Millis(before))
	return err
}
