package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/data/idempotency"
)

// Idempotency implements idempotency.Store.
type Idempotency struct{ database.Conn }

var _ idempotency.Store = (*Idempotency)(nil)

// NewIdempotency returns the idempotency keys of db.
func NewIdempotency(db *database.DB) *Idempotency { return &Idempotency{db.Conn()} }

const keyColumns = `k.fingerprint, k.seed, k.owner, k.lease_until_ms, k.answer_sealed, k.expires_at_ms`

// Claim implements idempotency.Store. On PostgreSQL its first statement locks the
// record even if it does not take it; on SQLite the transaction is the lock. So the
// second statement sees the record as it stays.
func (s *Idempotency) Claim(
	ctx context.Context, c idempotency.Claim, now time.Time,
) (r idempotency.Record, err error) {
	err = s.InShortTx(ctx, func(tx database.Conn) error {
		_, err := tx.Write.ExecContext(ctx, `
			INSERT INTO idempotency_keys AS k
				(id, fingerprint, seed, owner, attempts, lease_until_ms, answer_sealed, expires_at_ms)
			VALUES ($1, $2, $3, $4, 1, $5, '', $6)
			ON CONFLICT (id) DO UPDATE SET
				fingerprint = excluded.fingerprint,
				seed = CASE WHEN k.expires_at_ms <= $7 THEN excluded.seed ELSE k.seed END,
				owner = excluded.owner,
				attempts = CASE WHEN k.expires_at_ms <= $8 THEN 1 ELSE k.attempts + 1 END,
				lease_until_ms = excluded.lease_until_ms,
				answer_sealed = '',
				expires_at_ms = excluded.expires_at_ms
			WHERE k.expires_at_ms <= $9
				OR k.answer_sealed = '' AND k.lease_until_ms <= $10 AND k.fingerprint = excluded.fingerprint`,
			c.ID, c.Fingerprint, c.Seed, c.Owner, c.Until.UnixMilli(), c.Expires.UnixMilli(),
			now.UnixMilli(), now.UnixMilli(), now.UnixMilli(), now.UnixMilli())
		if err != nil {
			return err
		}
		return tx.Read.QueryRowContext(ctx, `SELECT `+keyColumns+` FROM idempotency_keys k WHERE k.id = $1`, c.ID).
			Scan(&r.Fingerprint, &r.Seed, &r.Owner, database.ScanMillis(&r.Until), &r.Sealed, database.ScanMillis(&r.Expires))
	})
	return r, s.Wrap(err, "Key")
}

// Renew implements idempotency.Store.
func (s *Idempotency) Renew(ctx context.Context, id, owner string, until time.Time) error {
	return s.change(ctx, `
		UPDATE idempotency_keys SET lease_until_ms = $1
		WHERE id = $2 AND owner = $3 AND answer_sealed = ''`, until.UnixMilli(), id, owner)
}

// Keep implements idempotency.Store.
func (s *Idempotency) Keep(ctx context.Context, id, owner, sealed string) error {
	return s.change(ctx, `UPDATE idempotency_keys SET answer_sealed = $1 WHERE id = $2 AND owner = $3`, sealed, id, owner)
}

func (s *Idempotency) change(ctx context.Context, query string, args ...any) error {
	return s.InShortTx(ctx, func(tx database.Conn) error {
		res, err := tx.Write.ExecContext(ctx, query, args...)
		return database.Affected(res, err, "Key")
	})
}

// Release implements idempotency.Store.
func (s *Idempotency) Release(ctx context.Context, id, owner string) error {
	return s.InShortTx(ctx, func(tx database.Conn) error {
		_, err := tx.Write.ExecContext(ctx, `
			UPDATE idempotency_keys SET lease_until_ms = 0
			WHERE id = $1 AND owner = $2 AND answer_sealed = ''`, id, owner)
		return err
	})
}

// Forget implements idempotency.Store.
func (s *Idempotency) Forget(ctx context.Context, id, owner string) error {
	return s.InShortTx(ctx, func(tx database.Conn) error {
		_, err := tx.Write.ExecContext(ctx, `
			DELETE FROM idempotency_keys
			WHERE id = $1 AND owner = $2 AND answer_sealed = '' AND attempts = 1`, id, owner)
		if err != nil {
			return err
		}
		return (&Idempotency{tx}).Release(ctx, id, owner)
	})
}

// DeleteExpired implements idempotency.Store. The outer condition spares records
// that are claimed again while this runs.
func (s *Idempotency) DeleteExpired(ctx context.Context, now time.Time, limit int) (int, error) {
	res, err := s.Write.ExecContext(ctx, `
		DELETE FROM idempotency_keys WHERE id IN (
			SELECT id FROM idempotency_keys WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2
		) AND expires_at_ms <= $3`, now.UnixMilli(), limit, now.UnixMilli())
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}
