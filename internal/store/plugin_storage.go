package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/extension/plugin/storage"
)

// PluginStorage implements storage.Store.
type PluginStorage struct{ database.Conn }

var _ storage.Store = (*PluginStorage)(nil)

// NewPluginStorage returns the values that plugins store in db.
func NewPluginStorage(db *database.DB) *PluginStorage { return &PluginStorage{db.Conn()} }

// InTx implements storage.Store.
func (p *PluginStorage) InTx(ctx context.Context, fn func(storage.Store) error) error {
	return p.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&PluginStorage{tx}) })
}

const storageColumns = `key, content_type, etag, size, expires_at_ms, COALESCE(by_user, ''),
	COALESCE(by_impersonator, '')`

func scanStored(row database.Scanner) (storage.Entry, error) {
	return scanStoredWith(row)
}

// scanStoredWith scans storageColumns, and more after them.
func scanStoredWith(row database.Scanner, more ...any) (storage.Entry, error) {
	var (
		e   storage.Entry
		key []byte
	)
	err := row.Scan(append([]any{
		&key, &e.ContentType, &e.ETag, &e.Size, database.ScanMillis(&e.ExpiresAt),
		&e.By.UserID, &e.By.Impersonator,
	}, more...)...)
	e.Key = string(key)
	return e, err
}

// Get implements storage.Store.
func (p *PluginStorage) Get(ctx context.Context, installation, key string) (storage.Entry, error) {
	var data []byte
	e, err := scanStoredWith(p.Read.QueryRowContext(ctx, `
		SELECT `+storageColumns+`, value FROM plugin_storage WHERE installation_id = $1 AND key = $2`,
		installation, []byte(key)), &data)
	e.Data = data
	return e, p.Wrap(err, "Key")
}

// Head implements storage.Store.
func (p *PluginStorage) Head(ctx context.Context, installation, key string) (storage.Entry, error) {
	e, err := scanStored(p.Read.QueryRowContext(ctx, `
		SELECT `+storageColumns+` FROM plugin_storage WHERE installation_id = $1 AND key = $2`,
		installation, []byte(key)))
	return e, p.Wrap(err, "Key")
}

// List implements storage.Store.
func (p *PluginStorage) List(
	ctx context.Context, installation, first string, now time.Time, limit int,
) ([]storage.Entry, error) {
	return database.All(ctx, p.Read, scanStored, `
		SELECT `+storageColumns+` FROM plugin_storage
		WHERE installation_id = $1 AND key >= $2 AND (expires_at_ms IS NULL OR expires_at_ms > $3)
		ORDER BY key LIMIT $4`, installation, []byte(first), database.Millis(now), limit)
}

// ExpiredBy implements storage.Store.
func (p *PluginStorage) ExpiredBy(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return database.Texts(ctx, p.Read, `
		SELECT DISTINCT installation_id FROM plugin_storage WHERE expires_at_ms <= $1 LIMIT $2`,
		database.Millis(now), limit)
}

// Lock implements storage.Store.
func (p *PluginStorage) Lock(ctx context.Context, installation string) (storage.Use, error) {
	var use storage.Use
	// The update changes nothing: it locks the row, whether it is new or not.
	err := p.Write.QueryRowContext(ctx, `
		INSERT INTO plugin_storage_use (installation_id, keys, bytes)
		SELECT i.id, 0, 0 FROM plugin_instances i WHERE i.id = $1
		ON CONFLICT (installation_id) DO UPDATE SET keys = plugin_storage_use.keys
		RETURNING keys, bytes`, installation).Scan(&use.Keys, &use.Bytes)
	return use, p.Wrap(err, "Installation")
}

// SaveUse implements storage.Store.
func (p *PluginStorage) SaveUse(ctx context.Context, installation string, use storage.Use) error {
	_, err := p.Write.ExecContext(ctx, `UPDATE plugin_storage_use SET keys = $1, bytes = $2 WHERE installation_id = $3`,
		use.Keys, use.Bytes, installation)
	return err
}

// Put implements storage.Store.
func (p *PluginStorage) Put(ctx context.Context, installation string, e storage.Entry) error {
	_, err := p.Write.ExecContext(ctx, `
		INSERT INTO plugin_storage (installation_id, key, content_type, etag, size, expires_at_ms, value, by_user,
			by_impersonator)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (installation_id, key) DO UPDATE SET content_type = excluded.content_type, etag = excluded.etag,
			size = excluded.size, expires_at_ms = excluded.expires_at_ms, value = excluded.value,
			by_user = excluded.by_user, by_impersonator = excluded.by_impersonator`,
		installation, []byte(e.Key), e.ContentType, e.ETag, e.Size, database.Millis(e.ExpiresAt), e.Data,
		orNull(e.By.UserID), orNull(e.By.Impersonator))
	return p.Wrap(err, "Installation")
}

// Delete implements storage.Store.
func (p *PluginStorage) Delete(ctx context.Context, installation, key string) error {
	_, err := p.Write.ExecContext(ctx, `DELETE FROM plugin_storage WHERE installation_id = $1 AND key = $2`,
		installation, []byte(key))
	return err
}

// DeleteExpired implements storage.Store.
func (p *PluginStorage) DeleteExpired(ctx context.Context, installation string, now time.Time) (storage.Use, error) {
	var use storage.Use
	const where = ` WHERE installation_id = $1 AND expires_at_ms <= $2`
	err := p.Read.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(size), 0) FROM plugin_storage`+where,
		installation, database.Millis(now)).Scan(&use.Keys, &use.Bytes)
	if err != nil || use.Keys == 0 {
		return use, err
	}
	_, err = p.Write.ExecContext(ctx, `DELETE FROM plugin_storage`+where, installation, database.Millis(now))
	return use, err
}
