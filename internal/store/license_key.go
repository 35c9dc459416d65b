package store

import (
	"context"

	"stoa/internal/database"
	"stoa/internal/market/license"
)

// A license and whether one instance uses it are read in a single query: between
// two queries, an instance could be added that the license does not count yet.
const (
	byKey     = ` FROM licenses l WHERE l.key_hash = $1 AND l.product_id = (SELECT p.id FROM products p WHERE p.slug = $2)`
	activated = `EXISTS (SELECT 1 FROM license_instances i WHERE i.license_id = l.id AND i.instance_id = $3)`
)

// LicenseByKey implements license.Store.
func (s *Licenses) LicenseByKey(ctx context.Context, slug, keyHash, instanceID string) (license.Usage, error) {
	var u license.Usage
	var err error
	if !s.InTransaction() {
		u.License, err = scanLicense(s.Read.QueryRowContext(ctx,
			`SELECT `+licenseColumns+`, `+activated+byKey, keyHash, slug, instanceID), &u.Activated)
		return u, s.Wrap(err, "License")
	}
	u.License, err = scanLicense(s.Read.QueryRowContext(ctx,
		`SELECT `+licenseColumns+byKey+s.Lock("l"), keyHash, slug))
	if err != nil {
		return license.Usage{}, s.Wrap(err, "License")
	}
	// A separate query on purpose: it must see what other transactions committed
	// while this one waited for the lock.
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM license_instances WHERE license_id = $1 AND instance_id = $2)`,
		u.License.ID, instanceID).Scan(&u.Activated)
	return u, err
}

// usageByKey finds what UsageByKey returns, as a database.Packed row. The features
// are last because they may contain spaces.
const usageByKey = `
	SELECT concat_ws(' ', l.id, l.product_id, l.type, l.max_instances, l.instances, l.paid,
		coalesce(CAST(l.expires_at_ms AS TEXT), '` + database.NoTime + `'),
		coalesce(CAST(l.revoked_at_ms AS TEXT), '` + database.NoTime + `'),
		l.created_at_ms, ` + activated + `, l.features)` + byKey

// UsageByKey implements license.Store.
func (s *Licenses) UsageByKey(ctx context.Context, slug, keyHash, instanceID string) (license.Usage, error) {
	var text string
	err := s.Read.QueryRowContext(s.Brief(ctx), usageByKey, keyHash, slug, instanceID).Scan(&text)
	if err != nil {
		return license.Usage{}, s.Wrap(err, "License")
	}
	var u license.Usage
	row, l := database.Unpack(text), &u.License
	l.ID, l.ProductID, l.Type = row.Text(), row.Text(), license.Type(row.Text())
	l.MaxInstances, l.Instances, l.Paid = int(row.Number()), int(row.Number()), row.Bool()
	l.ExpiresAt, l.RevokedAt, l.CreatedAt = row.Time(), row.Time(), row.Time()
	u.Activated = row.Bool()
	if err := row.Err(); err != nil {
		return license.Usage{}, err
	}
	l.Features, err = decodeFeatures(l.ID, row.Last())
	return u, err
}
