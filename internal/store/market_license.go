package store

import (
	"stoa/internal/database"

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
func NewLicenses(db *database.DB) *Licenses { return &Licenses{licenseTable{newConn(db)}} }

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
	if !s.InTransaction() {
		u.License, err = scanLicense(s.Read.QueryRowContext(ctx, `SELECT `+licenseColumns+`, `+activated+byKey, keyHash, slug, instanceID), &u.Activated)
		return u, s.Wrap(err, "Licence")
	}
	u.License, err = scanLicense(s.Read.QueryRowContext(ctx, `SELECT `+licenseColumns+byKey+s.Lock("l"), keyHash, slug))
	if err != nil {
		return market.Usage{}, s.Wrap(err, "Licence")
	}
	// A separate query on purpose: it must see what other transactions committed
	// while this one waited for the lock.
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM license_instances WHERE license_id = $1 AND instance_id = $2)`, u.License.ID, instanceID).Scan(&u.Activated)
	return u, err
}

// usageByKey finds what Usage needs, the features last.
const usageByKey = `
	SELECT concat_ws(' ', l.id, l.product_id, l.type, l.max_instances, l.instances, l.paid,
		coalesce(CAST(l.expires_at_ms AS TEXT), '` + database.NoTime + `'), coalesce(CAST(l.revoked_at_ms AS TEXT), '` + database.NoTime + `'),
		l.created_at_ms, ` + activated + `, l.features)` + byKey

// UsageByKey implements market.Licenses.
func (s *Licenses) UsageByKey(ctx context.Context, slug, keyHash, instanceID string) (market.Usage, error) {
	var text string
	if err := s.Read.QueryRowContext(s.Brief(ctx), usageByKey, keyHash, slug, instanceID).Scan(&text); err != nil {
		return market.Usage{}, s.Wrap(err, "Licence")
	}
	var u market.Usage
	row, l := database.Unpack(text), &u.License
	l.ID, l.ProductID, l.Type = row.Text(), row.Text(), market.LicenseType(row.Text())
	l.MaxInstances, l.Instances, l.Paid = int(row.Number()), int(row.Number()), row.Bool()
	l.ExpiresAt, l.RevokedAt, l.CreatedAt = row.Time(), row.Time(), row.Time()
	u.Activated = row.Bool()
	if err := row.Err(); err != nil {
		return market.Usage{}, err
	}
	var err error
	l.Features, err = decodeFeatures(l.ID, row.Last())
	return u, err
}

// AddInstance implements market.Licenses.
func (s *Licenses) AddInstance(ctx context.Context, licenseID string, a market.Activation, churn time.Time) error {
	return s.inTx(ctx, func(tx conn) error {
		res, err := tx.Write.ExecContext(ctx, `
			INSERT INTO license_instances (license_id, instance_id, development, activated_at_ms) VALUES ($1, $2, $3, $4)
			ON CONFLICT (license_id, instance_id) DO NOTHING`, licenseID, a.InstanceID, a.Development, database.Millis(a.At))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		counted, development := counts(a.Development)
		_, err = tx.Write.ExecContext(ctx, `
			UPDATE licenses SET instances = instances + $1, development_instances = development_instances + $2, churn_ms = $3
			WHERE id = $4`, counted, development, database.Millis(churn), licenseID)
		return err
	})
}

// RemoveInstance implements market.Licenses.
func (s *Licenses) RemoveInstance(ctx context.Context, licenseID, instanceID string) error {
	return s.inTx(ctx, func(tx conn) error {
		var was bool
		err := tx.Write.QueryRowContext(ctx, `
			DELETE FROM license_instances WHERE license_id = $1 AND instance_id = $2
			RETURNING development`, licenseID, instanceID).Scan(&was)
		if err != nil {
			return tx.Wrap(err, "Instance")
		}
		counted, development := counts(was)
		_, err = tx.Write.ExecContext(ctx, `
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
	err := s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM license_renewals WHERE license_id = $1 AND reference = $2)`, licenseID, reference).Scan(&has)
	return has, err
}

// AddRenewal implements market.Licenses.
func (s *Licenses) AddRenewal(ctx context.Context, licenseID, reference string, at time.Time) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO license_renewals (license_id, reference, at_ms) VALUES ($1, $2, $3)`, licenseID, reference, database.Millis(at))
	return s.Wrap(err, "Renewal")
}
