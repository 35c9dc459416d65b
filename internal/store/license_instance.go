package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/license"
)

// AddActivation implements license.Store.
func (s *Licenses) AddActivation(ctx context.Context, licenseID string, a license.Activation, churn time.Time) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error {
		res, err := tx.Write.ExecContext(ctx, `
			INSERT INTO license_instances (license_id, instance_id, development, staging_of, activated_at_ms)
			VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (license_id, instance_id) DO NOTHING`,
			licenseID, a.InstanceID, a.Development, a.StagingOf, database.Millis(a.At))
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

// Staging implements license.Store.
func (s *Licenses) Staging(ctx context.Context, licenseID, domain string) (seated bool, addresses int, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT
			EXISTS (SELECT 1 FROM license_instances WHERE license_id = $1 AND instance_id = $2 AND NOT development),
			(SELECT count(*) FROM license_instances WHERE license_id = $1 AND staging_of = $2 AND staging_of <> '')`,
		licenseID, domain).Scan(&seated, &addresses)
	return seated, addresses, err
}

// RemoveActivation implements license.Store.
func (s *Licenses) RemoveActivation(ctx context.Context, licenseID, instanceID string) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error {
		var isDevelopment bool
		err := tx.Write.QueryRowContext(ctx, `
			DELETE FROM license_instances WHERE license_id = $1 AND instance_id = $2
			RETURNING development`, licenseID, instanceID).Scan(&isDevelopment)
		if err != nil {
			return tx.Wrap(err, "Instance")
		}
		counted, development := counts(isDevelopment)
		if !isDevelopment {
			res, err := tx.Write.ExecContext(ctx, `
				DELETE FROM license_instances WHERE license_id = $1 AND staging_of = $2 AND staging_of <> ''`,
				licenseID, instanceID)
			if err != nil {
				return err
			}
			addresses, err := res.RowsAffected()
			if err != nil {
				return err
			}
			development += int(addresses)
		}
		_, err = tx.Write.ExecContext(ctx, `
			UPDATE licenses SET instances = instances - $1, development_instances = development_instances - $2
			WHERE id = $3`, counted, development, licenseID)
		return err
	})
}

// counts returns what one instance adds to each of a license's two counters.
func counts(isDevelopment bool) (counted, development int) {
	if isDevelopment {
		return 0, 1
	}
	return 1, 0
}

// ListActivations implements license.Store.
func (s *Licenses) ListActivations(
	ctx context.Context, licenseID string, limit, offset int,
) ([]license.Activation, int, error) {
	var total int
	err := s.Read.QueryRowContext(ctx, `
		SELECT count(*) FROM license_instances WHERE license_id = $1`, licenseID).Scan(&total)
	if err != nil {
		return nil, 0, err
	}
	list, err := database.All(ctx, s.Read, func(row database.Scanner) (a license.Activation, err error) {
		err = row.Scan(&a.InstanceID, &a.Development, database.ScanMillis(&a.At))
		return a, err
	}, `
		SELECT instance_id, development, activated_at_ms FROM license_instances
		WHERE license_id = $1
		ORDER BY activated_at_ms, instance_id
		LIMIT $2 OFFSET $3`, licenseID, limit, offset)
	return list, total, err
}
