package store

import (
	"context"
	"strings"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/license"
)

// A license and its use by one instance are read in a single query: between two queries, an
// instance could be added that the license does not count yet.
const (
	byKey    = ` FROM licenses l WHERE l.key_hash = $1 AND l.product_id = (SELECT p.id FROM products p WHERE p.slug = $2)`
	instance = `coalesce((SELECT CASE WHEN i.development THEN 2 ELSE 1 END FROM license_instances i
		WHERE i.license_id = l.id AND i.instance_id = $3), 0)`
)

// setInstance sets how an instance uses the license, from the result of the query instance.
func setInstance(u *license.Usage, n int64) { u.Activated, u.Development = n > 0, n == 2 }

// LicenseByKey implements license.Store.
func (s *Licenses) LicenseByKey(ctx context.Context, slug, keyHash, instanceID string) (license.Usage, error) {
	var u license.Usage
	var (
		n   int64
		err error
	)
	if !s.InTransaction() {
		u.License, err = scanLicense(s.Read.QueryRowContext(ctx,
			`SELECT `+licenseColumns+`, `+instance+byKey, keyHash, slug, instanceID), &n)
		setInstance(&u, n)
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
		SELECT coalesce((SELECT CASE WHEN development THEN 2 ELSE 1 END FROM license_instances
			WHERE license_id = $1 AND instance_id = $2), 0)`,
		u.License.ID, instanceID).Scan(&n)
	setInstance(&u, n)
	return u, err
}

// usageByKey finds what UsageByKey returns, as a database.Packed row. The features
// are last because they may contain spaces; those of tiers' ids are tabs until it is read.
const usageByKey = `
	SELECT concat_ws(' ', l.id, l.product_id, l.type, l.max_instances, l.instances, l.paid,
		coalesce(CAST(l.expires_at_ms AS TEXT), '` + database.NoTime + `'),
		coalesce(CAST(l.revoked_at_ms AS TEXT), '` + database.NoTime + `'),
		l.created_at_ms, l.leeway_ms, l.trial, replace(l.tier_id, ' ', '` + "\t" + `'), ` + instance + `, l.features)` + byKey

// UsageByKey implements license.Store.
func (s *Licenses) UsageByKey(ctx context.Context, slug, keyHash, instanceID string) (license.Usage, error) {
	text, err := s.Text(ctx, usageByKey, keyHash, slug, instanceID)
	if err != nil {
		return license.Usage{}, s.Wrap(err, "License")
	}
	var u license.Usage
	row, l := database.Unpack(text), &u.License
	l.ID, l.ProductID, l.Type = row.Text(), row.Text(), license.Type(row.Text())
	l.MaxInstances, l.Instances, l.Paid = int(row.Number()), int(row.Number()), row.Bool()
	l.ExpiresAt, l.RevokedAt, l.CreatedAt = row.Time(), row.Time(), row.Time()
	l.Leeway = time.Duration(row.Number()) * time.Millisecond
	l.Trial, l.TierID = row.Bool(), strings.ReplaceAll(row.Text(), "\t", " ")
	setInstance(&u, row.Number())
	if err := row.Err(); err != nil {
		return license.Usage{}, err
	}
	l.Features, err = decodeFeatures(l.ID, row.Last())
	return u, err
}
