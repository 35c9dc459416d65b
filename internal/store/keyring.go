package store

import (
	"stoa/internal/database"

	"context"
	"database/sql"
	"time"

	"stoa/internal/keyring"
)

// Keyring implements keyring.Store, for the keys of all purposes.
type Keyring struct {
	conn
}

var _ keyring.Store = (*Keyring)(nil)

// NewKeyring returns the signing keys of db.
func NewKeyring(db *database.DB) *Keyring { return &Keyring{newConn(db)} }

// InTx implements keyring.Store.
func (s *Keyring) InTx(ctx context.Context, fn func(keyring.Store) error) error {
	return s.inTx(ctx, func(c conn) error { return fn(&Keyring{c}) })
}

// AddKeyOnce implements keyring.Store.
func (s *Keyring) AddKeyOnce(ctx context.Context, k keyring.StoredKey) error {
	// A second next or current key violates the index over stages.
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO signing_keys (id, purpose, stage, sealed, created_at_ms, stage_since_ms)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT DO NOTHING`,
		k.ID, k.Purpose, string(k.Stage), k.Sealed, database.Millis(k.CreatedAt), database.Millis(k.StageSince))
	return err
}

// ListKeys implements keyring.Store.
func (s *Keyring) ListKeys(ctx context.Context, purpose string) ([]keyring.StoredKey, error) {
	rows, err := s.Read.QueryContext(ctx, `
		SELECT id, purpose, stage, sealed, created_at_ms, stage_since_ms
		FROM signing_keys
		WHERE purpose = $1
		ORDER BY created_at_ms, id`, purpose)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var keys []keyring.StoredKey
	for rows.Next() {
		var (
			k              keyring.StoredKey
			created, since sql.NullInt64
		)
		if err := rows.Scan(&k.ID, &k.Purpose, &k.Stage, &k.Sealed, &created, &since); err != nil {
			return nil, err
		}
		k.CreatedAt, k.StageSince = fromMillis(created), fromMillis(since)
		keys = append(keys, k)
	}
	return keys, rows.Err()
}

// MoveKey implements keyring.Store.
func (s *Keyring) MoveKey(ctx context.Context, id string, from, to keyring.Stage, at time.Time) error {
	res, err := s.Write.ExecContext(ctx, `UPDATE signing_keys SET stage = $1, stage_since_ms = $2 WHERE id = $3 AND stage = $4`,
		string(to), database.Millis(at), id, string(from))
	return database.Affected(res, s.Wrap(err, "Key"), "Key")
}

// DeletePreviousKey implements keyring.Store.
func (s *Keyring) DeletePreviousKey(ctx context.Context, id string) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM signing_keys WHERE id = $1 AND stage = 'previous'`, id)
	return err
}
