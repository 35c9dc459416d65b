package store

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/shop/release"
)

// Releases implements release.Store.
type Releases struct{ audited }

var _ release.Store = (*Releases)(nil)

// NewReleases returns the packages that belong to the products of db.
func NewReleases(db *database.DB) *Releases { return &Releases{audited{db.Conn()}} }

// InTx implements release.Store.
func (s *Releases) InTx(ctx context.Context, fn func(release.Store) error) error {
	return s.InTurn(ctx, "product_packages", func(tx database.Conn) error { return fn(&Releases{audited{tx}}) })
}

const releaseColumns = `r.product_id, r.kind, r.slug, r.version, r.path, r.zip_hash, r.signed_by, r.size,
	r.published_at_ms, r.withdrawn_at_ms, r.signer_key <> '', r.signer_key, r.permissions, r.min_platform`

func releaseTargets(r *release.Release) []any {
	return []any{
		&r.ProductID, &r.Kind, &r.Slug, &r.Version, &r.Path, &r.ZipHash, &r.SignedBy, &r.Size,
		database.ScanMillis(&r.PublishedAt), database.ScanMillis(&r.WithdrawnAt),
		&r.Described, &r.SignerKey, (*textList)(&r.Needs.Permissions), &r.Needs.MinPlatform,
	}
}

func scanRelease(row database.Scanner) (r release.Release, err error) {
	err = row.Scan(releaseTargets(&r)...)
	return r, err
}

// OfProduct implements release.Store.
func (s *Releases) OfProduct(ctx context.Context, productID string) ([]release.Release, error) {
	return database.All(ctx, s.Read, scanRelease,
		`SELECT `+releaseColumns+` FROM product_packages r WHERE r.product_id = $1`, productID)
}

// OfPackage implements release.Store.
func (s *Releases) OfPackage(ctx context.Context, kind extension.Kind, slug string) ([]release.Release, error) {
	return database.All(ctx, s.Read, scanRelease,
		`SELECT `+releaseColumns+` FROM product_packages r WHERE r.kind = $1 AND r.slug = $2`, string(kind), slug)
}

// Offers implements release.Store.
func (s *Releases) Offers(ctx context.Context) ([]release.Offer, error) {
	scan := func(row database.Scanner) (o release.Offer, err error) {
		err = row.Scan(append(releaseTargets(&o.Release), &o.ProductSlug, &o.ProductName)...)
		return o, err
	}
	return database.All(ctx, s.Read, scan, `
		SELECT `+releaseColumns+`, p.slug, p.name
		FROM product_packages r
		JOIN products p ON p.id = r.product_id
		WHERE p.published = $1 AND r.withdrawn_at_ms IS NULL
		ORDER BY r.kind, r.slug`, true)
}

// Create implements release.Store.
func (s *Releases) Create(ctx context.Context, r release.Release) error {
	permissions, err := jsonList(r.Needs.Permissions)
	if err != nil {
		return err
	}
	res, err := s.Write.ExecContext(ctx, `
		INSERT INTO product_packages AS p (kind, slug, version, product_id, path, zip_hash, signed_by, size, published_at_ms,
			signer_key, permissions, min_platform)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (kind, slug, version) DO UPDATE SET
			path = excluded.path, signed_by = excluded.signed_by, size = excluded.size,
			published_at_ms = excluded.published_at_ms, withdrawn_at_ms = NULL,
			signer_key = excluded.signer_key, permissions = excluded.permissions, min_platform = excluded.min_platform
		WHERE p.withdrawn_at_ms IS NOT NULL AND p.product_id = excluded.product_id AND p.zip_hash = excluded.zip_hash`,
		string(r.Kind), r.Slug, r.Version, r.ProductID, r.Path, r.ZipHash, r.SignedBy, r.Size,
		database.Millis(r.PublishedAt), r.SignerKey, permissions, r.Needs.MinPlatform)
	if s.IsReference(err) {
		return database.NotFound("Product").Because(err)
	}
	if err != nil {
		return s.Wrap(err, "Release")
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return errReleased
}

var errReleased = errs.New(errs.Conflict, "CONFLICT", "The package has this version already.")

// Withdraw implements release.Store.
func (s *Releases) Withdraw(ctx context.Context, productID, version string, at time.Time) error {
	res, err := s.Write.ExecContext(ctx, `
		UPDATE product_packages SET withdrawn_at_ms = $1
		WHERE product_id = $2 AND version = $3 AND withdrawn_at_ms IS NULL`, database.Millis(at), productID, version)
	return database.Affected(res, err, "Release")
}

// Undescribed implements release.Store.
func (s *Releases) Undescribed(ctx context.Context) ([]release.Release, error) {
	return database.All(ctx, s.Read, scanRelease,
		`SELECT `+releaseColumns+` FROM product_packages r WHERE r.signer_key = '' AND r.withdrawn_at_ms IS NULL`)
}

// Describe implements release.Store.
func (s *Releases) Describe(ctx context.Context, r release.Release) error {
	permissions, err := jsonList(r.Needs.Permissions)
	if err != nil {
		return err
	}
	_, err = s.Write.ExecContext(ctx, `
		UPDATE product_packages SET signer_key = $1, permissions = $2, min_platform = $3
		WHERE kind = $4 AND slug = $5 AND version = $6 AND zip_hash = $7 AND withdrawn_at_ms IS NULL`,
		r.SignerKey, permissions, r.Needs.MinPlatform, string(r.Kind), r.Slug, r.Version, r.ZipHash)
	return err
}

// Carriers implements release.Store.
func (s *Releases) Carriers(ctx context.Context) ([]string, error) {
	return database.Texts(ctx, s.Read, `
		SELECT p.slug FROM products p WHERE EXISTS (SELECT 1 FROM product_packages r WHERE r.product_id = p.id)
		UNION SELECT SUBSTR(m.role, 3) FROM market_metadata m WHERE m.role LIKE 'p-%' AND m.replaced_at_ms IS NULL
		ORDER BY 1`)
}

// Paths implements release.Store.
func (s *Releases) Paths(ctx context.Context) ([]string, error) {
	return database.Texts(ctx, s.Read, `SELECT path FROM product_packages WHERE withdrawn_at_ms IS NULL ORDER BY path`)
}
