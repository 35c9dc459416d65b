package store

import (
	"stoa/internal/database"

	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"stoa/internal/errs"
	"stoa/internal/market"
)

// licenseTable implements market.LicenseRows for everything that sells or manages
// licences, in the transaction of its conn.
type licenseTable struct {
	conn
}

const licenseColumns = `l.id, l.product_id, l.tier_id, l.user_id, l.key_hash, l.key_sealed, l.type, l.features, l.max_instances, l.paid,
	l.expires_at_ms, l.period_months, l.anchor_ms, l.periods, l.revoked_at_ms, l.created_at_ms,
	l.instances, l.development_instances, l.churn_ms, l.version`

// scanLicense reads one row of licenseColumns, and what follows them.
func scanLicense(row database.Scanner, more ...any) (market.License, error) {
	var (
		l                                        market.License
		features                                 string
		expires, anchor, revoked, created, churn sql.NullInt64
	)
	err := row.Scan(append([]any{
		&l.ID, &l.ProductID, &l.TierID, &l.UserID, &l.KeyHash, &l.KeySealed, &l.Type, &features, &l.MaxInstances, &l.Paid,
		&expires, &l.Months, &anchor, &l.Periods, &revoked, &created,
		&l.Instances, &l.DevelopmentInstances, &churn, &l.Version,
	}, more...)...)
	if err != nil {
		return market.License{}, err
	}
	l.ExpiresAt, l.Anchor, l.RevokedAt = fromMillis(expires), fromMillis(anchor), fromMillis(revoked)
	l.CreatedAt, l.Churn = fromMillis(created), fromMillis(churn)
	l.Features, err = decodeFeatures(l.ID, features)
	return l, err
}

// decodeFeatures reads the column features of a licence. Every verification does,
// and most of them hold what jsonList makes of plain texts, in which a quote is
// always a delimiter.
func decodeFeatures(licenseID, text string) ([]string, error) {
	if inner, ok := strings.CutPrefix(text, `["`); ok && !strings.Contains(inner, `\`) {
		if inner, ok = strings.CutSuffix(inner, `"]`); ok {
			return strings.Split(inner, `","`), nil
		}
	}
	var list []string
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("store: licence %s: features: %w", licenseID, err)
	}
	return list, nil
}

// CreateLicense implements market.LicenseRows.
func (s licenseTable) CreateLicense(ctx context.Context, l market.License) error {
	features, err := jsonList(l.Features)
	if err != nil {
		return err
	}
	_, err = s.Write.ExecContext(ctx, `
		INSERT INTO licenses (id, product_id, tier_id, user_id, key_hash, key_sealed, type, features, max_instances, paid,
			expires_at_ms, period_months, anchor_ms, periods, revoked_at_ms, created_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		l.ID, l.ProductID, l.TierID, l.UserID, l.KeyHash, l.KeySealed, string(l.Type), features, l.MaxInstances, l.Paid,
		database.Millis(l.ExpiresAt), l.Months, database.Millis(l.Anchor), l.Periods, database.Millis(l.RevokedAt), database.Millis(l.CreatedAt))
	if s.IsReference(err) {
		return errs.New(errs.NotFound, "NOT_FOUND", "Product not found.").Because(err)
	}
	return s.Wrap(err, "Licence")
}

// LicenseByID implements market.LicenseRows.
func (s licenseTable) LicenseByID(ctx context.Context, id string) (market.License, error) {
	l, err := scanLicense(s.Read.QueryRowContext(ctx, `SELECT `+licenseColumns+` FROM licenses l WHERE l.id = $1`+s.Lock("l"), id))
	return l, s.Wrap(err, "Licence")
}

// UpdateLicense implements market.LicenseRows.
func (s licenseTable) UpdateLicense(ctx context.Context, l market.License) error {
	features, err := jsonList(l.Features)
	if err != nil {
		return err
	}
	res, err := s.Write.ExecContext(ctx, `
		UPDATE licenses SET user_id = $1, type = $2, features = $3, max_instances = $4, paid = $5,
			expires_at_ms = $6, period_months = $7, anchor_ms = $8, periods = $9, revoked_at_ms = $10, version = version + 1
		WHERE id = $11`,
		l.UserID, string(l.Type), features, l.MaxInstances, l.Paid,
		database.Millis(l.ExpiresAt), l.Months, database.Millis(l.Anchor), l.Periods, database.Millis(l.RevokedAt), l.ID)
	return database.Affected(res, err, "Licence")
}
