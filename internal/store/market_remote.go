package store

import (
	"context"

	"stoa/internal/data/database"
	"stoa/internal/market/remote"
)

// Markets implements remote.Store.
type Markets struct{ audited }

var _ remote.Store = (*Markets)(nil)

// NewMarkets returns the markets that db knows.
func NewMarkets(db *database.DB) *Markets { return &Markets{audited{db.Conn()}} }

// InTx implements remote.Store.
func (s *Markets) InTx(ctx context.Context, fn func(remote.Store) error) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&Markets{audited{tx}}) })
}

const marketColumns = `m.id, m.url, m.name, m.root_hash, m.etag, m.failure, m.distrust, m.misfit,
	m.timestamp_until_ms, m.good_until_ms, m.checked_at_ms, m.seen_ms, m.added_at_ms, m.revision`

func scanMarket(row database.Scanner) (m remote.Market, err error) {
	err = row.Scan(&m.ID, &m.URL, &m.Name, &m.Fingerprint, &m.ETag, &m.Failure, &m.Distrust, &m.Misfit,
		database.ScanMillis(&m.TimestampUntil), database.ScanMillis(&m.GoodUntil), database.ScanMillis(&m.CheckedAt),
		database.ScanMillis(&m.SeenAt), database.ScanMillis(&m.AddedAt), &m.Revision)
	return m, err
}

// List implements remote.Store.
func (s *Markets) List(ctx context.Context) ([]remote.Market, error) {
	return database.All(ctx, s.Read, scanMarket, `SELECT `+marketColumns+` FROM markets m ORDER BY m.added_at_ms, m.id`)
}

// Get implements remote.Store.
func (s *Markets) Get(ctx context.Context, id string) (remote.Market, error) {
	m, err := scanMarket(s.Read.QueryRowContext(ctx, `
		SELECT `+marketColumns+` FROM markets m WHERE m.id = $1`+s.Lock("m"), id))
	return m, s.Wrap(err, "Market")
}

// Known implements remote.Store.
func (s *Markets) Known(ctx context.Context, fingerprint string) (known bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM markets WHERE root_hash = $1)`, fingerprint).Scan(&known)
	return known, err
}

// Files implements remote.Store.
func (s *Markets) Files(ctx context.Context, id string) (remote.Files, error) {
	type file struct {
		name    string
		content []byte
	}

	list, err := database.All(ctx, s.Read, func(row database.Scanner) (f file, err error) {
		err = row.Scan(&f.name, &f.content)
		return f, err
	}, `SELECT name, content FROM market_files WHERE market_id = $1`, id)
	files := make(remote.Files, len(list))
	for _, f := range list {
		files[f.name] = f.content
	}
	return files, err
}

// Create implements remote.Store.
func (s *Markets) Create(ctx context.Context, m remote.Market) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO markets (id, url, name, root_hash, etag, failure, distrust, misfit,
			timestamp_until_ms, good_until_ms, checked_at_ms, seen_ms, added_at_ms, revision)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		m.ID, m.URL, m.Name, m.Fingerprint, m.ETag, m.Failure, m.Distrust, m.Misfit,
		m.TimestampUntil.UnixMilli(), m.GoodUntil.UnixMilli(), m.CheckedAt.UnixMilli(), m.SeenAt.UnixMilli(),
		m.AddedAt.UnixMilli(), m.Revision)
	return s.Wrap(err, "Market")
}

// Update implements remote.Store.
func (s *Markets) Update(ctx context.Context, m remote.Market) error {
	res, err := s.Write.ExecContext(ctx, `
		UPDATE markets SET name = $1, etag = $2, failure = $3, distrust = $4, misfit = $5,
			timestamp_until_ms = $6, good_until_ms = $7, checked_at_ms = $8, seen_ms = $9, revision = $10
		WHERE id = $11`,
		m.Name, m.ETag, m.Failure, m.Distrust, m.Misfit, m.TimestampUntil.UnixMilli(), m.GoodUntil.UnixMilli(),
		m.CheckedAt.UnixMilli(), m.SeenAt.UnixMilli(), m.Revision, m.ID)
	return database.Affected(res, err, "Market")
}

// PutFile implements remote.Store.
func (s *Markets) PutFile(ctx context.Context, id, name string, content []byte) error {
	if content == nil {
		_, err := s.Write.ExecContext(ctx, `DELETE FROM market_files WHERE market_id = $1 AND name = $2`, id, name)
		return err
	}
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO market_files (market_id, name, content) VALUES ($1, $2, $3)
		ON CONFLICT (market_id, name) DO UPDATE SET content = excluded.content`, id, name, content)
	return err
}

// Delete implements remote.Store.
func (s *Markets) Delete(ctx context.Context, id string) error {
	res, err := s.Write.ExecContext(ctx, `DELETE FROM markets WHERE id = $1`, id)
	return database.Affected(res, err, "Market")
}

// fromMarket is true for origins (o) of what is installed from the market $1, or can be restored.
const fromMarket = `o.market_id = $1 AND (
	EXISTS (SELECT 1 FROM plugin_packages p WHERE o.kind = 'plugin' AND p.slug = o.slug AND p.zip_hash = o.zip_hash)
	OR EXISTS (SELECT 1 FROM theme_versions v WHERE v.kind = o.kind AND v.slug = o.slug AND v.zip_hash = o.zip_hash)
	OR EXISTS (SELECT 1 FROM bundles b WHERE o.kind = 'bundle' AND b.slug = o.slug AND b.zip_hash = o.zip_hash))`

// InUse implements remote.Store.
func (s *Markets) InUse(ctx context.Context, id string) (used bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM package_origins o WHERE `+fromMarket+`)
		OR EXISTS (SELECT 1 FROM package_licenses l WHERE l.market = $1)
		OR EXISTS (SELECT 1 FROM license_releases r WHERE r.market = $1)
		OR EXISTS (SELECT 1 FROM market_operations m WHERE m.market_id = $1 AND m.due_ms IS NOT NULL
			AND (m.kind IN ('purchase', 'trial') OR m.steps <> '[]'))`, id).Scan(&used)
	return used, err
}

// Needed implements remote.Store.
func (s *Markets) Needed(ctx context.Context, id string) ([]string, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (slug string, err error) {
		err = row.Scan(&slug)
		return slug, err
	}, `SELECT o.product FROM package_origins o WHERE `+fromMarket+`
		UNION SELECT m.product FROM market_operations m WHERE m.market_id = $1 AND m.due_ms IS NOT NULL
		ORDER BY 1`, id)
}
