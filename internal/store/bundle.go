package store

import (
	"context"

	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/extension/bundle"
)

// Bundles implements bundle.Store.
type Bundles struct{ audited }

var _ bundle.Store = (*Bundles)(nil)

// NewBundles returns the bundles of db.
func NewBundles(db *database.DB) *Bundles { return &Bundles{audited{db.Conn()}} }

const bundleColumns = `b.id, b.request_id, b.zip_hash, b.from_market, b.signed_by, b.manifest_json,
	b.installed_at_ms, b.updated_at_ms`

func scanBundle(row database.Scanner) (bundle.Bundle, error) {
	var (
		b    bundle.Bundle
		text string
	)
	err := row.Scan(&b.ID, &b.RequestID, &b.ZipHash, &b.FromMarket, &b.SignedBy, &text,
		database.ScanMillis(&b.InstalledAt), database.ScanMillis(&b.UpdatedAt))
	if err != nil {
		return bundle.Bundle{}, err
	}
	b.Manifest, err = bundle.DecodeManifest([]byte(text))
	return b, err
}

// Get implements bundle.Store.
func (s *Bundles) Get(ctx context.Context, slug string) (bundle.Bundle, error) {
	return s.find(ctx, `b.slug = $1`, slug)
}

// FindArchive implements bundle.Store.
func (s *Bundles) FindArchive(ctx context.Context, zipHash string) (bundle.Bundle, error) {
	return s.find(ctx, `b.zip_hash = $1`, zipHash)
}

func (s *Bundles) find(ctx context.Context, condition, arg string) (b bundle.Bundle, err error) {
	err = s.InSnapshot(ctx, func(c database.Conn) error {
		b, err = scanBundle(c.Read.QueryRowContext(ctx,
			`SELECT `+bundleColumns+` FROM bundles b WHERE `+condition+` ORDER BY b.slug LIMIT 1`, arg))
		if err != nil {
			return c.Wrap(err, "Bundle")
		}
		b.Items, err = bundleItems(ctx, c, b.Manifest.Slug)
		return err
	})
	return b, err
}

func bundleItems(ctx context.Context, c database.Conn, slug string) ([]bundle.Item, error) {
	scan := func(row database.Scanner) (i bundle.Item, err error) {
		err = row.Scan(&i.Kind, &i.Slug, &i.Version, &i.Outcome, &i.PackageID, &i.Owned, &i.Listed)
		return i, err
	}
	return database.All(ctx, c.Read, scan, `
		SELECT kind, slug, version, outcome, package_id, owned, listed
		FROM bundle_items WHERE bundle_slug = $1 ORDER BY position`, slug)
}

// List implements bundle.Store.
func (s *Bundles) List(ctx context.Context, limit, offset int) (list []bundle.Bundle, total int, err error) {
	err = s.InSnapshot(ctx, func(c database.Conn) error {
		if err := c.Read.QueryRowContext(ctx, `SELECT count(*) FROM bundles`).Scan(&total); err != nil {
			return err
		}
		list, err = database.All(ctx, c.Read, scanBundle,
			`SELECT `+bundleColumns+` FROM bundles b ORDER BY b.slug LIMIT $1 OFFSET $2`, limit, offset)
		if err != nil {
			return err
		}
		for i := range list {
			if list[i].Items, err = bundleItems(ctx, c, list[i].Manifest.Slug); err != nil {
				return err
			}
		}
		return nil
	})
	return list, total, err
}

// Put implements bundle.Store.
func (s *Bundles) Put(ctx context.Context, b bundle.Bundle) error {
	return s.InTx(ctx, func(tx database.Conn) error {
		slug := b.Manifest.Slug
		_, err := tx.Write.ExecContext(ctx, `
			INSERT INTO bundles (slug, id, request_id, zip_hash, from_market, signed_by, manifest_json,
				installed_at_ms, updated_at_ms)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			ON CONFLICT (slug) DO UPDATE SET
				id = excluded.id, request_id = excluded.request_id, zip_hash = excluded.zip_hash,
				from_market = excluded.from_market, signed_by = excluded.signed_by,
				manifest_json = excluded.manifest_json, installed_at_ms = excluded.installed_at_ms,
				updated_at_ms = excluded.updated_at_ms`,
			slug, b.ID, b.RequestID, b.ZipHash, b.FromMarket, b.SignedBy, string(b.Manifest.Raw),
			database.Millis(b.InstalledAt), database.Millis(b.UpdatedAt))
		if err != nil {
			return tx.Wrap(err, "Bundle")
		}
		if _, err := tx.Write.ExecContext(ctx, `DELETE FROM bundle_items WHERE bundle_slug = $1`, slug); err != nil {
			return err
		}
		for n, i := range b.Items {
			_, err := tx.Write.ExecContext(ctx, `
				INSERT INTO bundle_items (bundle_slug, position, kind, slug, version, outcome, package_id, owned, listed)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
				slug, n, string(i.Kind), i.Slug, i.Version, string(i.Outcome), i.PackageID, i.Owned, i.Listed)
			if err != nil {
				return tx.Wrap(err, "Item")
			}
		}
		return nil
	})
}

// Delete implements bundle.Store.
func (s *Bundles) Delete(ctx context.Context, slug string) error {
	res, err := s.Write.ExecContext(ctx, `DELETE FROM bundles WHERE slug = $1`, slug)
	return database.Affected(res, err, "Bundle")
}

// Others implements bundle.Store.
func (s *Bundles) Others(
	ctx context.Context, slug string, kind extension.Kind, packageID string,
) ([]string, error) {
	return database.Texts(ctx, s.Read, `
		SELECT DISTINCT bundle_slug FROM bundle_items
		WHERE bundle_slug <> $1 AND kind = $2 AND package_id = $3 AND listed = $4 ORDER BY bundle_slug`,
		slug, string(kind), packageID, true)
}

// Own implements bundle.Store.
func (s *Bundles) Own(ctx context.Context, slug string, kind extension.Kind, packageID string) error {
	_, err := s.Write.ExecContext(ctx, `
		UPDATE bundle_items SET owned = $1 WHERE bundle_slug = $2 AND kind = $3 AND package_id = $4`,
		true, slug, string(kind), packageID)
	return err
}
