package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"stoa/internal/market"
)

// Licenses implements market.Licenses.
type Licenses struct {
	conn
}

var _ market.Licenses = (*Licenses)(nil)

// NewLicenses returns the licences of db.
func NewLicenses(db *DB) *Licenses { return &Licenses{db.conn()} }

// InTx implements market.Licenses.
func (s *Licenses) InTx(ctx context.Context, fn func(market.Licenses) error) error {
	return s.inTx(ctx, func(tx conn) error { return fn(&Licenses{tx}) })
}

// licenseQuery selects a licence by key hash and product.
const licenseQuery = `
	SELECT l.id, l.product_id, l.tier_id, l.user_id, l.key_hash, l.key_sealed, l.type, l.features, l.max_instances, l.paid,
		l.expires_at_ms, l.revoked_at_ms, l.created_at_ms
	FROM licenses l WHERE l.key_hash = $1 AND l.product_id = $2`

// LicenseByKey implements market.Licenses.
func (s *Licenses) LicenseByKey(ctx context.Context, productID, keyHash, instanceID string) (market.Usage, error) {
	var (
		u                         market.Usage
		l                         = &u.License
		features                  string
		expires, revoked, created sql.NullInt64
	)
	err := s.r.QueryRowContext(ctx, licenseQuery+s.lockInTx("l"), keyHash, productID).Scan(
		&l.ID, &l.ProductID, &l.TierID, &l.UserID, &l.KeyHash, &l.KeySealed, &l.Type, &features, &l.MaxInstances, &l.Paid,
		&expires, &revoked, &created)
	if err != nil {
		return market.Usage{}, s.db.wrap(err, "Licence")
	}
	l.ExpiresAt, l.RevokedAt, l.CreatedAt = fromMillis(expires), fromMillis(revoked), fromMillis(created)
	if err := json.Unmarshal([]byte(features), &l.Features); err != nil {
		return market.Usage{}, fmt.Errorf("store: licence %s: features: %w", l.ID, err)
	}
	// A separate query on purpose: it must see what other transactions committed
	// while this one waited for the lock.
	err = s.r.QueryRowContext(ctx, `
		SELECT count(*), count(CASE WHEN instance_id = $1 THEN 1 END) > 0
		FROM license_instances WHERE license_id = $2`, instanceID, l.ID).Scan(&u.Instances, &u.Activated)
	return u, err
}

// AddInstance implements market.Licenses.
func (s *Licenses) AddInstance(ctx context.Context, licenseID, instanceID string, at time.Time) error {
	_, err := s.w.ExecContext(ctx, `
		INSERT INTO license_instances (license_id, instance_id, activated_at_ms) VALUES ($1, $2, $3)
		ON CONFLICT (license_id, instance_id) DO NOTHING`, licenseID, instanceID, toMillis(at))
	return err
}
