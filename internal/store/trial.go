package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
	"stoa/internal/message/mail"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
)

// The kinds of once_keys of trials.
const (
	onceTrial     = "trial"
	onceTrialHost = "trial-host"
)

// TakeTrialHost implements license.Store and order.Trials.
func (s licenseRows) TakeTrialHost(
	ctx context.Context, productID, host, licenseID string, at time.Time,
) (bool, error) {
	ok, err := takeOnce(ctx, s.Conn, once{onceTrialHost, productID, licenseID}, []string{host}, at)
	if err != nil || ok {
		return ok, err
	}
	var holder string
	err = s.Read.QueryRowContext(ctx, `
		SELECT order_id FROM once_keys WHERE kind = $1 AND scope = $2 AND customer_key = $3`,
		onceTrialHost, productID, host).Scan(&holder)
	return holder == licenseID, err
}

// TakeTrial implements order.Trials.
func (s *Orders) TakeTrial(ctx context.Context, productID, orderID string, keys []string, at time.Time) (bool, error) {
	return takeOnce(ctx, s.Conn, once{onceTrial, productID, orderID}, keys, at)
}

// trialsDue finds the trials of which a mail is due: one that has ended at $2, after $5; or one that ends by $1, but
// not before $3, and that lasts longer than $4. Those are left out that end before $6, or then, with an id up to $7,
// and those of $8, who have left. It has the conditions of the index licenses_trials.
const trialsDue = `
	SELECT ` + licenseColumns + `, p.name, p.slug, p.detail, o.id, o.language, o.billing_info
	FROM licenses l JOIN products p ON p.id = l.product_id JOIN orders o ON o.license_id = l.id AND o.trial
	WHERE l.trial AND l.revoked_at_ms IS NULL AND NOT l.demo AND l.expires_at_ms <= $1 AND l.user_id <> $8
		AND l.expires_at_ms > $5
		AND (l.expires_at_ms <= $2 AND l.trial_ended_ms <> l.expires_at_ms
			OR l.expires_at_ms >= $3 AND l.expires_at_ms - l.created_at_ms > $4 AND l.trial_ending_ms <> l.expires_at_ms)
		AND (l.expires_at_ms > $6 OR l.expires_at_ms = $6 AND l.id > $7)
	ORDER BY l.expires_at_ms, l.id LIMIT 100`

// DueTrials implements order.Trials.
func (s *Orders) DueTrials(
	ctx context.Context, now time.Time, t order.TrialTimes, after license.License,
) ([]order.DueTrial, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (d order.DueTrial, err error) {
		var billing sql.NullString
		var detail string
		d.License, err = scanLicense(row, &d.ProductName, &d.ProductSlug, &detail, &d.OrderID, &d.Language, &billing)
		if err == nil {
			d.TierName, err = tierName(detail, d.License.TierID)
		}
		if err == nil && billing.Valid {
			err = json.Unmarshal([]byte(billing.String), &d.Billing)
		}
		return d, err
	}, trialsDue, now.Add(t.Before).UnixMilli(), now.UnixMilli(), now.Add(t.Latest).UnixMilli(), t.Before.Milliseconds(),
		now.Add(-t.After).UnixMilli(), after.ExpiresAt.UnixMilli(), after.ID, reqctx.Deleted)
}

// TakeTrialMail implements order.Trials.
func (s *Orders) TakeTrialMail(ctx context.Context, l license.License, over bool) (bool, error) {
	column := "trial_ending_ms"
	if over {
		column = "trial_ended_ms"
	}
	res, err := s.Write.ExecContext(ctx, `
		UPDATE licenses SET `+column+` = expires_at_ms
		WHERE id = $1 AND trial AND revoked_at_ms IS NULL AND expires_at_ms = $2 AND `+column+` <> expires_at_ms
			AND user_id <> $3`,
		l.ID, database.Millis(l.ExpiresAt), reqctx.Deleted)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// AddMail implements order.Trials.
func (s *Orders) AddMail(ctx context.Context, m mail.Sealed) error { return addMail(ctx, s.Conn, m) }
