package store

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/extension"
)

// errMarketGone is returned for an archive from a market that was removed while it was installed.
var errMarketGone = errs.New(errs.Conflict, "CONFLICT", "The market was removed meanwhile.")

// origins implements extension.Origins.
type origins struct{ database.Conn }

// Origins implements install.Transactions.
func (e *Extensions) Origins(ctx context.Context) ([]extension.Traced, error) {
	return database.All(ctx, e.conn.Read, func(row database.Scanner) (t extension.Traced, err error) {
		err = row.Scan(&t.Kind, &t.Slug, &t.ZipHash, &t.Origin.Market, &t.Origin.Product, &t.Origin.ProductName)
		return t, err
	}, `SELECT kind, slug, zip_hash, market_id, product, product_name FROM package_origins`)
}

// Elsewhere implements extension.Origins.
func (o origins) Elsewhere(
	ctx context.Context, kind extension.Kind, slug string, origin extension.Origin,
) (is bool, err error) {
	err = o.Read.QueryRowContext(ctx, `
		SELECT EXISTS (
			SELECT 1 FROM (
				SELECT 'plugin' AS kind, slug, zip_hash FROM plugin_packages WHERE slug = $2
				UNION ALL SELECT kind, slug, zip_hash FROM theme_versions WHERE slug = $2 AND deleted_at_ms IS NULL
				UNION ALL SELECT 'bundle', slug, zip_hash FROM bundles WHERE slug = $2
			) i LEFT JOIN package_origins o ON o.kind = i.kind AND o.slug = i.slug AND o.zip_hash = i.zip_hash
			WHERE i.kind = $1 AND (o.market_id IS NULL OR o.market_id <> $3 OR o.product <> $4))`,
		string(kind), slug, origin.Market, origin.Product).Scan(&is)
	return is, err
}

// SetOrigin implements extension.Origins.
func (o origins) SetOrigin(ctx context.Context, t extension.Traced) error {
	if t.Origin.IsZero() {
		_, err := o.Write.ExecContext(ctx, `DELETE FROM package_origins WHERE kind = $1 AND slug = $2 AND zip_hash = $3`,
			string(t.Kind), t.Slug, t.ZipHash)
		return err
	}
	// The row of the market is locked first: whoever removes it does so, too, before looking for packages from it.
	var id string
	err := o.Read.QueryRowContext(ctx, `SELECT m.id FROM markets m WHERE m.id = $1`+o.Lock("m"), t.Origin.Market).Scan(&id)
	if err := o.Wrap(err, "Market"); err != nil {
		return errs.Missing(err, errMarketGone)
	}
	_, err = o.Write.ExecContext(ctx, `
		INSERT INTO package_origins (kind, slug, zip_hash, market_id, product, product_name) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (kind, slug, zip_hash) DO UPDATE SET
			market_id = excluded.market_id, product = excluded.product, product_name = excluded.product_name`,
		string(t.Kind), t.Slug, t.ZipHash, t.Origin.Market, t.Origin.Product, t.Origin.ProductName)
	return o.Wrap(err, "Origin")
}
