package store

import (
	"context"
	"time"

	"stoa/internal/market"
)

// Licenses implements market.Licenses.
type Licenses struct {
	licenseTable
}

var _ market.Licenses = (*Licenses)(nil)

// NewLicenses returns the licences of db.
func NewLicenses(db *DB) *Licenses { return &Licenses{licenseTable{db.conn()}} }

// InTx implements market.Licenses.
func (s *Licenses) InTx(ctx context.Context, fn func(market.Licenses) error) error {
	return s.inTx(ctx, func(tx conn) error { return fn(&Licenses{licenseTable{tx}}) })
}

// One query finds everything about a licence and one instance: between two, an
// instance may come that the licence does not count.
const (
	byKey     = ` FROM licenses l WHERE l.key_hash = $1 AND l.product_id = (SELECT p.id FROM products p WHERE p.slug = $2)`
	activated = `EXISTS (SELECT 1 FROM license_instances i WHERE i.license_id = l.id AND i.instance_id = $3)`
)

// InShortTx implements market.Licenses.
func (s *Licenses) InShortTx(ctx context.Context, fn func(market.Licenses) error) error {
	return s.inShortTx(ctx, func(tx conn) error { return fn(&Licenses{licenseTable{tx}}) })
}

// LicenseByKey implements market.Licenses.
func (s *Licenses) LicenseByKey(ctx context.Context, slug, keyHash, instanceID string) (market.Usage, error) {
	var u market.Usage
	var err error
	if !s.nested() {
		u.License, err = scanLicense(s.r.QueryRowContext(ctx, `SELECT `+licenseColumns+`, `+activated+byKey, keyHash, slug, instanceID), &u.Activated)
		return u, s.db.wrap(err, "Licence")
	}
	u.License, err = scanLicense(s.r.QueryRowContext(ctx, `SELECT `+licenseColumns+byKey+s.lockInTx("l"), keyHash, slug))
	if err != nil {
		return market.Usage{}, s.db.wrap(err, "Licence")
	}
	// A separate query on purpose: it must see what other transactions committed
	// while this one waited for the lock.
	err = s.r.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM license_instances WHERE license_id = $1 AND instance_id = $2)`, u.License.ID, instanceID).Scan(&u.Activated)
	return u, err
}

// usageByKey finds what Usage needs, the features last.
const usageByKey = `
	SELECT concat_ws(' ', l.id, l.product_id, l.type, l.max_instances, l.instances, l.paid,
		coalesce(CAST(l.expires_at_ms AS TEXT), '` + noTime + `'), coalesce(CAST(l.revoked_at_ms AS TEXT), '` + noTime + `'),
		l.created_at_ms, ` + activated + `, l.features)` + byKey

// UsageByKey implements market.Licenses.
func (s *Licenses) UsageByKey(ctx context.Context, slug, keyHash, instanceID string) (market.Usage, error) {
	var row packed
	if err := s.r.QueryRowContext(s.brief(ctx), usageByKey, keyHash, slug, instanceID).Scan(&row.rest); err != nil {
		return market.Usage{}, s.db.wrap(err, "Licence")
	}
	var u market.Usage
	l := &u.License
	l.ID, l.ProductID, l.Type = row.text(), row.text(), market.LicenseType(row.text())
	l.MaxInstances, l.Instances, l.Paid = int(row.number()), int(row.number()), row.boolean()
	l.ExpiresAt, l.RevokedAt, l.CreatedAt = row.time(), row.time(), row.time()
	u.Activated = row.boolean()
	if row.err != nil {
		return market.Usage{}, row.err
	}
	var err error
	l.Features, err = decodeFeatures(l.ID, row.last())
	return u, err
}

// AddInstance implements market.Licenses.
func (s *Licenses) AddInstance(ctx context.Context, licenseID string, a market.Activation, churn time.Time) error {
	return s.inTx(ctx, func(tx conn) error {
		res, err := tx.w.ExecContext(ctx, `
			INSERT INTO license_instances (license_id, instance_id, development, activated_at_ms) VALUES ($1, $2, $3, $4)
			ON CONFLICT (license_id, instance_id) DO NOTHING`, licenseID, a.InstanceID, a.Development, toMillis(a.At))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		counted, development := counts(a.Development)
		_, err = tx.w.ExecContext(ctx, `
			UPDATE licenses SET instances = instances + $1, development_instances = development_instances + $2, churn_ms = $3
			WHERE id = $4`, counted, development, toMillis(churn), licenseID)
		return err
	})
}

// RemoveInstance implements market.Licenses.
func (s *Licenses) RemoveInstance(ctx context.Context, licenseID, instanceID string) error {
	return s.inTx(ctx, func(tx conn) error {
		var was bool
		err := tx.w.QueryRowContext(ctx, `
			DELETE FROM license_instances WHERE license_id = $1 AND instance_id = $2
			RETURNING development`, licenseID, instanceID).Scan(&was)
		if err != nil {
			return tx.db.wrap(err, "Instance")
		}
		counted, development := counts(was)
		_, err = tx.w.ExecContext(ctx, `
			UPDATE licenses SET instances = instances - $1, development_instances = development_instances - $2
			WHERE id = $3`, counted, development, licenseID)
		return err
	})
}

// counts returns what one instance adds to each of a licence's counters.
func counts(isDevelopment bool) (counted, development int) {
	if isDevelopment {
		return 0, 1
	}
	return 1, 0
}

// HasRenewal implements market.Licenses.
func (s *Licenses) HasRenewal(ctx context.Context, licenseID, reference string) (bool, error) {
	var has bool
	err := s.r.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM license_renewals WHERE license_id = $1 AND reference = $2)`, licenseID, reference).Scan(&has)
	return has, err
}

// AddRenewal implements market.Licenses.
func (s *Licenses) AddRenewal(ctx context.Context, licenseID, reference string, at time.Time) error {
	_, err := s.w.ExecContext(ctx, `
		INSERT INTO license_renewals (license_id, reference, at_ms) VALUES ($1, $2, $3)`, licenseID, reference, toMillis(at))
	return s.db.wrap(err, "Renewal")
}
