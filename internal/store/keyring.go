package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/trust/keyring"
)

// Keyring implements keyring.Store, for the keys of all purposes.
type Keyring struct{ audited }

var _ keyring.Store = (*Keyring)(nil)

// NewKeyring returns the signing keys of db.
func NewKeyring(db *database.DB) *Keyring { return &Keyring{audited{db.Conn()}} }

// InTx implements keyring.Store.
func (s *Keyring) InTx(ctx context.Context, fn func(keyring.Store) error) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&Keyring{audited{tx}}) })
}

// AddKeyOnce implements keyring.Store.
func (s *Keyring) AddKeyOnce(ctx context.Context, k keyring.StoredKey) error {
	// A unique index allows one next and one current key of each purpose.
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO signing_keys (id, purpose, stage, sealed, created_at_ms, stage_since_ms)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT DO NOTHING`,
		k.ID, k.Purpose, string(k.Stage), k.Sealed, database.Millis(k.CreatedAt), database.Millis(k.StageSince))
	return err
}

// ListKeys implements keyring.Store.
func (s *Keyring) ListKeys(ctx context.Context, purpose string) ([]keyring.StoredKey, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (k keyring.StoredKey, err error) {
		err = row.Scan(&k.ID, &k.Purpose, &k.Stage, &k.Sealed,
			database.ScanMillis(&k.CreatedAt), database.ScanMillis(&k.StageSince))
		return k, err
	}, `
		SELECT id, purpose, stage, sealed, created_at_ms, stage_since_ms
		FROM signing_keys
		WHERE purpose = $1
		ORDER BY created_at_ms, id`, purpose)
}

// MoveKey implements keyring.Store.
func (s *Keyring) MoveKey(ctx context.Context, id string, from, to keyring.Stage, at time.Time) error {
	res, err := s.Write.ExecContext(ctx, `
		UPDATE signing_keys SET stage = $1, stage_since_ms = $2 WHERE id = $3 AND stage = $4`,
		string(to), database.Millis(at), id, string(from))
	return database.Affected(res, s.Wrap(err, "Key"), "Key")
}

// DeletePreviousKey implements keyring.Store.
func (s *Keyring) DeletePreviousKey(ctx context.Context, id string) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM signing_keys WHERE id = $1 AND stage = 'previous'`, id)
	return err
}
