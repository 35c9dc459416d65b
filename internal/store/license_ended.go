package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/license"
)

// endsAtOnce is how many ends of licenses are told in one transaction.
const endsAtOnce = 100

// endedLicenses finds licenses for TakeEnded, with the conditions of the index licenses_untold.
const endedLicenses = `
	SELECT ` + licenseColumns + ` FROM licenses l
	WHERE l.expires_at_ms <> l.expiry_told_ms AND l.revoked_at_ms IS NULL AND l.paid
		AND l.expires_at_ms + l.leeway_ms <= $1
	ORDER BY l.expires_at_ms + l.leeway_ms LIMIT $2`

// TakeEnded implements license.Store.
func (s *Licenses) TakeEnded(ctx context.Context, now time.Time) ([]license.License, error) {
	list, err := database.All(ctx, s.Read, func(row database.Scanner) (license.License, error) { return scanLicense(row) },
		endedLicenses+s.LockFree("l"), database.Millis(now), endsAtOnce)
	if err != nil {
		return nil, err
	}
	for _, l := range list {
		_, err := s.Write.ExecContext(ctx, `
			UPDATE licenses SET expiry_told_ms = expires_at_ms WHERE id = $1`, l.ID)
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}
