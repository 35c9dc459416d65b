package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/license"
)

// Licenses implements license.Store.
type Licenses struct{ licenseRows }

var _ license.Store = (*Licenses)(nil)

// NewLicenses returns the licenses of db and the instances that use them.
func NewLicenses(db *database.DB) *Licenses { return &Licenses{licenseRows{audited{db.Conn()}}} }

// InTx implements license.Store.
func (s *Licenses) InTx(ctx context.Context, fn func(license.Store) error) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&Licenses{licenseRows{audited{tx}}}) })
}

// InShortTx implements license.Store.
func (s *Licenses) InShortTx(ctx context.Context, fn func(license.Store) error) error {
	return s.Conn.InShortTx(ctx, func(tx database.Conn) error { return fn(&Licenses{licenseRows{audited{tx}}}) })
}

// licenseRows implements license.Rows, for the stores that sell licenses and
// for the one that manages them.
type licenseRows struct{ audited }

const licenseColumns = `l.id, l.product_id, l.tier_id, l.user_id, l.key_hash, l.key_sealed, l.type, l.features,
	l.max_instances, l.paid, l.expires_at_ms, l.period_months, l.anchor_ms, l.periods, l.revoked_at_ms, l.created_at_ms,
	l.instances, l.development_instances, l.churn_ms, l.version, l.leeway_ms, l.demo, l.ends,
	l.trial, l.next_terms`

// scanLicense reads one row of licenseColumns, and the columns after them into
// more.
func scanLicense(row database.Scanner, more ...any) (license.License, error) {
	var (
		l        license.License
		features string
		leeway   int64
		next     string
	)
	err := row.Scan(append([]any{
		&l.ID, &l.ProductID, &l.TierID, &l.UserID, &l.KeyHash, &l.KeySealed, &l.Type, &features,
		&l.MaxInstances, &l.Paid, database.ScanMillis(&l.ExpiresAt), &l.Months, database.ScanMillis(&l.Anchor), &l.Periods,
		database.ScanMillis(&l.RevokedAt), database.ScanMillis(&l.CreatedAt),
		&l.Instances, &l.DevelopmentInstances, database.ScanMillis(&l.Churn), &l.Version, &leeway, &l.Demo, &l.Ends,
		&l.Trial, &next,
	}, more...)...)
	if err != nil {
		return license.License{}, err
	}
	l.Leeway = time.Duration(leeway) * time.Millisecond
	if next != "" {
		if err := json.Unmarshal([]byte(next), &l.Next); err != nil {
			return license.License{}, fmt.Errorf("store: license %s: next_terms: %w", l.ID, err)
		}
	}
	l.Features, err = decodeFeatures(l.ID, features)
	return l, err
}

// decodeFeatures reads the column features of a license. Every verification does,
// so there is a short way for the usual case: what jsonList makes of plain texts
// has no backslash, and every quote in it is a delimiter.
func decodeFeatures(licenseID, text string) ([]string, error) {
	if inner, ok := strings.CutPrefix(text, `["`); ok && !strings.Contains(inner, `\`) {
		if inner, ok = strings.CutSuffix(inner, `"]`); ok {
			return strings.Split(inner, `","`), nil
		}
	}
	var list []string
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("store: license %s: features: %w", licenseID, err)
	}
	return list, nil
}

// CreateLicense implements license.Rows.
func (s licenseRows) CreateLicense(ctx context.Context, l license.License) error {
	features, err := jsonList(l.Features)
	if err != nil {
		return err
	}
	_, err = s.Write.ExecContext(ctx, `
		INSERT INTO licenses (id, product_id, tier_id, user_id, key_hash, key_sealed, type, features, max_instances, paid,
			expires_at_ms, period_months, anchor_ms, periods, revoked_at_ms, created_at_ms, key_tail,
			leeway_ms, demo, ends, trial)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
		l.ID, l.ProductID, l.TierID, l.UserID, l.KeyHash, l.KeySealed, string(l.Type), features, l.MaxInstances, l.Paid,
		database.Millis(l.ExpiresAt), l.Months, database.Millis(l.Anchor), l.Periods, database.Millis(l.RevokedAt),
		database.Millis(l.CreatedAt), database.NullText(l.KeyTail), l.Leeway.Milliseconds(), l.Demo, l.Ends, l.Trial)
	if s.IsReference(err) {
		return database.NotFound("Product").Because(err)
	}
	return s.Wrap(err, "License")
}

// LicenseByID implements license.Rows.
func (s licenseRows) LicenseByID(ctx context.Context, id string) (license.License, error) {
	l, err := scanLicense(s.Read.QueryRowContext(ctx,
		`SELECT `+licenseColumns+` FROM licenses l WHERE l.id = $1`+s.Lock("l"), id))
	return l, s.Wrap(err, "License")
}

// UpdateLicense implements license.Rows.
func (s licenseRows) UpdateLicense(ctx context.Context, l license.License) error {
	features, err := jsonList(l.Features)
	if err != nil {
		return err
	}
	var next []byte
	if !l.Next.None() {
		if next, err = json.Marshal(l.Next); err != nil {
			return err
		}
	}
	res, err := s.Write.ExecContext(ctx, `
		UPDATE licenses SET user_id = $1, type = $2, features = $3, max_instances = $4, paid = $5,
			expires_at_ms = $6, period_months = $7, anchor_ms = $8, periods = $9, revoked_at_ms = $10, leeway_ms = $11,
			ends = $12, tier_id = $13, trial = $14, next_terms = $15, version = version + 1
		WHERE id = $16`,
		l.UserID, string(l.Type), features, l.MaxInstances, l.Paid,
		database.Millis(l.ExpiresAt), l.Months, database.Millis(l.Anchor), l.Periods, database.Millis(l.RevokedAt),
		l.Leeway.Milliseconds(), l.Ends, l.TierID, l.Trial, string(next), l.ID)
	return database.Affected(res, err, "License")
}

// HasRenewal implements license.Store.
func (s *Licenses) HasRenewal(ctx context.Context, licenseID, reference string) (has bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM license_renewals WHERE license_id = $1 AND reference = $2)`, licenseID, reference,
	).Scan(&has)
	return has, err
}

// AddRenewal implements license.Store.
func (s *Licenses) AddRenewal(ctx context.Context, licenseID, reference string, at time.Time) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO license_renewals (license_id, reference, at_ms) VALUES ($1, $2, $3)`,
		licenseID, reference, database.Millis(at))
	return s.Wrap(err, "Renewal")
}
