package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/trust/audit/export"
)

// AuditExport implements export.Log and export.Cursors.
type AuditExport struct {
	database.Conn

	engine string
}

var (
	_ export.Log     = (*AuditExport)(nil)
	_ export.Cursors = (*AuditExport)(nil)
)

// NewAuditExport returns the audit log of db for export.
func NewAuditExport(db *database.DB) *AuditExport { return &AuditExport{db.Conn(), db.Engine()} }

// settleEvery is how often Settled checks whether a transaction has ended.
const settleEvery = 50 * time.Millisecond

// Settled implements export.Log. On PostgreSQL, transactions do not commit in the order of their
// numbers. A transaction locks the table before it takes a number, so all that may still commit
// below the highest number are among those that hold the lock after it was read.
func (s *AuditExport) Settled(ctx context.Context) (int64, error) {
	var top int64
	err := s.Read.QueryRowContext(ctx, `SELECT COALESCE(max(seq), 0) FROM audit_log`).Scan(&top)
	if err != nil || s.engine != "postgres" {
		return top, err // SQLite has one writer
	}
	waiting, err := s.writers(ctx)
	for err == nil && len(waiting) > 0 {
		select {
		case <-time.After(settleEvery):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		var now []string
		now, err = s.writers(ctx)
		still := waiting[:0]
		for _, w := range waiting {
			for _, n := range now {
				if w == n {
					still = append(still, w)
				}
			}
		}
		waiting = still
	}
	return top, err
}

// writers returns the transactions that have written to the audit log, or are about to. Each has a
// unique name.
func (s *AuditExport) writers(ctx context.Context) ([]string, error) {
	return database.Texts(ctx, s.Read, `
		SELECT virtualtransaction FROM pg_locks
		WHERE locktype = 'relation' AND relation = 'audit_log'::regclass AND mode = 'RowExclusiveLock' AND granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
}

// After implements export.Log.
func (s *AuditExport) After(
	ctx context.Context, after, until int64, from, to time.Time, limit int,
) ([]export.Numbered, error) {
	var w database.Where
	w.And(`a.seq > $1 AND a.seq <= $2`, after, until)
	if !from.IsZero() {
		w.And(`a.at_ms >= $1`, database.Millis(from))
	}
	if !to.IsZero() {
		w.And(`a.at_ms < $1`, database.Millis(to))
	}
	page, args := w.Page(limit, 0)
	return database.All(ctx, s.Read, scanNumbered, `
		SELECT a.seq, a.id, a.at_ms, a.actor_kind, a.actor_id, a.actor_name,
			a.action, a.target_type, a.target_id, a.address, a.request_id, a.details_json, a.behalf_id, a.behalf_name
		FROM audit_log a`+w.String()+` ORDER BY a.seq`+page, args...)
}

func scanNumbered(row database.Scanner) (n export.Numbered, err error) {
	err = scanEntryAfter(row, &n.Entry, &n.Seq)
	return n, err
}

// Lease implements export.Cursors.
func (s *AuditExport) Lease(
	ctx context.Context, name, holder string, hold time.Duration,
) (sent int64, ours bool, err error) {
	_, err = s.Write.ExecContext(ctx, `
		INSERT INTO audit_streams (name, sent_seq, lease, lease_until_ms, failures, error)
		VALUES ($1, 0, '', 0, 0, '') ON CONFLICT (name) DO NOTHING`, name)
	if err != nil {
		return 0, false, err
	}
	err = s.Write.QueryRowContext(ctx, `
		UPDATE audit_streams SET lease = $1, lease_until_ms = `+s.Clock()+` + $2
		WHERE name = $3 AND (lease = $1 OR lease = '' OR lease_until_ms <= `+s.Clock()+`)
		RETURNING sent_seq`, holder, hold.Milliseconds(), name).Scan(&sent)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return sent, err == nil, err
}

// Sent implements export.Cursors.
func (s *AuditExport) Sent(ctx context.Context, name, holder string, seq int64) (bool, error) {
	return s.changed(ctx, `
		UPDATE audit_streams SET sent_seq = $1, failures = 0, error = '' WHERE name = $2 AND lease = $3`,
		seq, name, holder)
}

// Failed implements export.Cursors.
func (s *AuditExport) Failed(ctx context.Context, name, holder, reason string) error {
	_, err := s.changed(ctx, `
		UPDATE audit_streams SET failures = failures + 1, error = $1 WHERE name = $2 AND lease = $3`,
		reason, name, holder)
	return err
}

// Release implements export.Cursors.
func (s *AuditExport) Release(ctx context.Context, name, holder string) error {
	_, err := s.changed(ctx, `UPDATE audit_streams SET lease = '' WHERE name = $1 AND lease = $2`, name, holder)
	return err
}

func (s *AuditExport) changed(ctx context.Context, query string, args ...any) (bool, error) {
	res, err := s.Write.ExecContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// maxLag is how many entries Lag counts at most.
const maxLag = 100_000

// Lag implements export.Cursors. It counts no more than a hundred thousand entries.
func (s *AuditExport) Lag(ctx context.Context, name string) (l export.Lag, err error) {
	var sent int64
	err = s.Read.QueryRowContext(ctx, `SELECT sent_seq, failures FROM audit_streams WHERE name = $1`, name).
		Scan(&sent, &l.Failures)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return l, err
	}
	err = s.Read.QueryRowContext(ctx, `
		SELECT count(*) FROM (SELECT 1 FROM audit_log WHERE seq > $1 LIMIT $2) AS waiting`, sent, maxLag).Scan(&l.Entries)
	if err != nil || l.Entries == 0 {
		return l, err
	}
	err = s.Read.QueryRowContext(ctx, `SELECT at_ms FROM audit_log WHERE seq > $1 ORDER BY seq LIMIT 1`, sent).
		Scan(database.ScanMillis(&l.Oldest))
	return l, err
}
