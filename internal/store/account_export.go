package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stoa/internal/account/takeout"
	"stoa/internal/data/database"
)

// Takeout implements takeout.Store on the users of an Account.
type Takeout struct{ *Account }

var _ takeout.Store = Takeout{}

// InTx implements takeout.Store.
func (s Takeout) InTx(ctx context.Context, fn func(takeout.Store) error) error {
	return s.settled(ctx, s.Conn.InTx, func(tx *Account) error { return fn(Takeout{tx}) })
}

const exportColumns = `id, user_id, by_staff, state, file, attempts, created_at_ms, finished_at_ms`

func scanExport(row database.Scanner) (e takeout.Export, err error) {
	var finished int64
	err = row.Scan(&e.ID, &e.UserID, &e.By, &e.State, &e.File, &e.Attempts, database.ScanMillis(&e.CreatedAt), &finished)
	if finished != 0 {
		e.FinishedAt = time.UnixMilli(finished).UTC()
	}
	return e, err
}

// LatestExport implements takeout.Store.
func (s Takeout) LatestExport(ctx context.Context, userID string, staff bool, after time.Time) (takeout.Export, error) {
	e, err := scanExport(s.Read.QueryRowContext(ctx, `
		SELECT `+exportColumns+` FROM account_exports WHERE user_id = $1 AND (by_staff <> '') = $2 AND created_at_ms > $3
		ORDER BY created_at_ms DESC, id LIMIT 1`, userID, staff, database.Millis(after)))
	return e, s.Wrap(err, "Export")
}

// Export implements takeout.Store.
func (s Takeout) Export(ctx context.Context, userID, id string, after time.Time) (takeout.Export, error) {
	e, err := scanExport(s.Read.QueryRowContext(ctx, `
		SELECT `+exportColumns+` FROM account_exports WHERE id = $1 AND user_id = $2 AND created_at_ms > $3`,
		id, userID, database.Millis(after)))
	return e, s.Wrap(err, "Export")
}

// CreateExport implements takeout.Store.
func (s Takeout) CreateExport(ctx context.Context, e takeout.Export) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO account_exports (id, user_id, by_staff, state, file, created_at_ms) VALUES ($1, $2, $3, $4, $5, $6)`,
		e.ID, e.UserID, e.By, string(e.State), e.File, database.Millis(e.CreatedAt))
	return s.Wrap(err, "Export")
}

// RunningExport implements takeout.Store.
func (s Takeout) RunningExport(ctx context.Context) (takeout.Export, bool, error) {
	var id string
	// Usually there is none. This query finds that out without a transaction.
	err := s.Read.QueryRowContext(ctx, `
		SELECT id FROM account_exports WHERE state = 'running' ORDER BY created_at_ms LIMIT 1`).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return takeout.Export{}, false, nil
	} else if err != nil {
		return takeout.Export{}, false, err
	}
	e, err := scanExport(s.Write.QueryRowContext(ctx, `
		UPDATE account_exports SET attempts = attempts + 1 WHERE id = $1 RETURNING `+exportColumns, id))
	if errors.Is(err, sql.ErrNoRows) { // removed meanwhile
		return e, false, nil
	}
	return e, err == nil, err
}

// FinishExport implements takeout.Store.
func (s Takeout) FinishExport(ctx context.Context, e takeout.Export) error {
	res, err := s.Write.ExecContext(ctx, `
		UPDATE account_exports SET state = $1, file = $2, finished_at_ms = $3
		WHERE id = $4 AND state = 'running' AND attempts = $5`,
		string(e.State), e.File, sinceEpoch(e.FinishedAt), e.ID, e.Attempts)
	return database.Affected(res, err, "Export")
}

// RemakeExports has all exports that are ready made anew, and does not let those become ready that are being made:
// their archives are sealed with a master key that was replaced.
func RemakeExports(ctx context.Context, tx database.Conn) error {
	_, err := tx.Write.ExecContext(ctx, `
		UPDATE account_exports SET state = 'running', file = '', attempts = 0, finished_at_ms = 0
		WHERE state IN ('ready', 'running')`)
	return err
}

// DeleteExports implements takeout.Store.
func (s Takeout) DeleteExports(ctx context.Context, until time.Time) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM account_exports WHERE created_at_ms <= $1`, database.Millis(until))
	return err
}

// ExportFiles implements takeout.Store.
func (s Takeout) ExportFiles(ctx context.Context) ([]string, error) {
	return database.Texts(ctx, s.Read, `SELECT file FROM account_exports WHERE file <> ''`)
}
