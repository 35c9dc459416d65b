package store

import (
	"context"
	"encoding/json"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/extension/plugin"
	"stoa/internal/market/entitlement"
)

// Entitlements implements entitlement.Store.
type Entitlements struct {
	audited

	plugins *Plugin
}

var _ entitlement.Store = (*Entitlements)(nil)

// NewEntitlements returns the licenses of packages in db. What they change of plugins calls the change
// callback of plugins, and so do they themselves: the gateway keeps licenses in memory.
func NewEntitlements(db *database.DB, plugins *Plugin) *Entitlements {
	return &Entitlements{audited{db.Conn().OnWrite(plugins.changes.notify)}, plugins}
}

// InTx implements entitlement.Store.
func (s *Entitlements) InTx(ctx context.Context, fn func(entitlement.Store) error) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&Entitlements{audited{tx}, s.plugins}) })
}

// Plugins implements entitlement.Store.
func (s *Entitlements) Plugins() plugin.Store { return s.plugins.part(s.Conn) }

var entitlementColumns = `e.id, e.kind, e.slug, e.market, e.product, e.key_sealed, e.key_tail, e.instance, e.lease,
	e.state, e.reason, e.tier, e.trial, e.features, e.term_ends_ms, e.leased_at_ms, e.lease_until_ms, e.grace_until_ms,
	e.checked_at_ms, e.last_seen_ms, e.due_ms, e.mailed, e.installed, e.seated, e.revision,
	` + itsPackage("e") + ` AND (
		EXISTS (SELECT 1 FROM plugin_packages p WHERE e.kind = 'plugin' AND p.slug = e.slug AND p.deleted_at_ms IS NULL)
		OR EXISTS (SELECT 1 FROM theme_versions v WHERE v.kind = e.kind AND v.slug = e.slug AND v.deleted_at_ms IS NULL)
		OR EXISTS (SELECT 1 FROM bundles b WHERE e.kind = 'bundle' AND b.slug = e.slug)
		OR EXISTS (SELECT 1 FROM plugin_packages p
			WHERE e.kind = 'bundle' AND p.deleted_at_ms IS NULL AND ` + broughtBy("e") + `)),
	` + itsPackage("e") + ` AND (
		EXISTS (SELECT 1 FROM plugin_packages p WHERE e.kind = 'plugin' AND p.slug = e.slug)
		OR EXISTS (SELECT 1 FROM theme_versions v WHERE v.kind = e.kind AND v.slug = e.slug)
		OR EXISTS (SELECT 1 FROM bundles b WHERE e.kind = 'bundle' AND b.slug = e.slug)
		OR EXISTS (SELECT 1 FROM plugin_packages p WHERE e.kind = 'bundle' AND ` + broughtBy("e") + `))`

// scanEntitlement reads entitlementColumns.
func scanEntitlement(row database.Scanner) (l entitlement.License, err error) {
	var features string
	err = row.Scan(
		&l.ID, &l.Kind, &l.Slug, &l.Market, &l.Product, &l.Sealed, &l.KeyTail, &l.Instance, &l.Lease,
		&l.State, &l.Reason, &l.Tier, &l.IsTrial, &features, database.ScanMillis(&l.TermEnds),
		database.ScanMillis(&l.LeasedAt), database.ScanMillis(&l.LeaseUntil), database.ScanMillis(&l.GraceUntil),
		database.ScanMillis(&l.CheckedAt), database.ScanMillis(&l.LastSeen), database.ScanMillis(&l.Due),
		&l.Mailed, &l.Installed, &l.Seated, &l.Revision, &l.Live, &l.Known)
	if err == nil {
		err = json.Unmarshal([]byte(features), &l.Features)
	}
	return l, err
}

// List implements entitlement.Store.
func (s *Entitlements) List(ctx context.Context) ([]entitlement.License, error) {
	return database.All(ctx, s.Read, scanEntitlement,
		`SELECT `+entitlementColumns+` FROM package_licenses e ORDER BY e.kind, e.slug`)
}

// Get implements entitlement.Store.
func (s *Entitlements) Get(ctx context.Context, kind extension.Kind, slug string) (entitlement.License, error) {
	l, err := scanEntitlement(s.Read.QueryRowContext(ctx,
		`SELECT `+entitlementColumns+` FROM package_licenses e WHERE e.kind = $1 AND e.slug = $2`+s.Lock("e"),
		string(kind), slug))
	return l, s.Wrap(err, "License")
}

// Deciding implements entitlement.Store.
func (s *Entitlements) Deciding(ctx context.Context, slug string) (entitlement.License, error) {
	e, err := scanEntitlement(s.Read.QueryRowContext(ctx, `
		SELECT `+entitlementColumns+` FROM plugin_packages p`+licenseJoin+` JOIN package_licenses e ON e.id = l.id
		WHERE p.slug = $1 AND p.deleted_at_ms IS NULL`, slug))
	return e, s.Wrap(err, "License")
}

// Create implements entitlement.Store.
func (s *Entitlements) Create(ctx context.Context, l entitlement.License) error {
	features, err := jsonList(l.Features)
	if err != nil {
		return err
	}
	_, err = s.Write.ExecContext(ctx, `
		INSERT INTO package_licenses (id, kind, slug, market, product, key_sealed, key_tail, instance, lease,
			state, reason, tier, trial, features, term_ends_ms, leased_at_ms, lease_until_ms, grace_until_ms,
			checked_at_ms, last_seen_ms, due_ms, mailed, installed, seated, revision)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
			$25)`,
		l.ID, string(l.Kind), l.Slug, l.Market, l.Product, l.Sealed, l.KeyTail, l.Instance, l.Lease,
		string(l.State), string(l.Reason), l.Tier, l.IsTrial, features, database.Millis(l.TermEnds), l.LeasedAt.UnixMilli(),
		l.LeaseUntil.UnixMilli(), l.GraceUntil.UnixMilli(), database.Millis(l.CheckedAt), l.LastSeen.UnixMilli(),
		l.Due.UnixMilli(), string(l.Mailed), l.Installed, l.Seated, l.Revision)
	return s.Wrap(err, "License")
}

// Update implements entitlement.Store.
func (s *Entitlements) Update(ctx context.Context, l entitlement.License) error {
	features, err := jsonList(l.Features)
	if err != nil {
		return err
	}
	res, err := s.Write.ExecContext(ctx, `
		UPDATE package_licenses SET market = $1, product = $2, key_sealed = $3, key_tail = $4, instance = $5, lease = $6,
			state = $7, reason = $8, tier = $9, trial = $10, features = $11, term_ends_ms = $12, leased_at_ms = $13,
			lease_until_ms = $14, grace_until_ms = $15, checked_at_ms = $16, last_seen_ms = $17, due_ms = $18, mailed = $19,
			installed = $20, seated = $21, revision = $22
		WHERE id = $23`,
		l.Market, l.Product, l.Sealed, l.KeyTail, l.Instance, l.Lease, string(l.State), string(l.Reason), l.Tier, l.IsTrial,
		features, database.Millis(l.TermEnds), l.LeasedAt.UnixMilli(), l.LeaseUntil.UnixMilli(), l.GraceUntil.UnixMilli(),
		database.Millis(l.CheckedAt), l.LastSeen.UnixMilli(), l.Due.UnixMilli(), string(l.Mailed), l.Installed, l.Seated,
		l.Revision, l.ID)
	return database.Affected(res, err, "License")
}

// Saw implements entitlement.Store.
func (s *Entitlements) Saw(ctx context.Context, now time.Time) error {
	_, err := s.Write.ExecContext(ctx,
		`UPDATE package_licenses SET last_seen_ms = $1 WHERE last_seen_ms < $1`, now.UnixMilli())
	return err
}

// Delete implements entitlement.Store.
func (s *Entitlements) Delete(ctx context.Context, id string) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM package_licenses WHERE id = $1`, id)
	return err
}

// Stopped implements entitlement.Store.
func (s *Entitlements) Stopped(ctx context.Context, kind extension.Kind, slug string) (map[string]bool, error) {
	type plugin struct {
		slug    string
		stopped bool
	}
	list, err := database.All(ctx, s.Read, func(row database.Scanner) (p plugin, err error) {
		err = row.Scan(&p.slug, &p.stopped)
		return p, err
	}, `
		SELECT p.slug, COALESCE(l.state, '') = 'lapsed' FROM plugin_packages p`+licenseJoin+`
		WHERE p.deleted_at_ms IS NULL AND ($1 = 'plugin' AND p.slug = $2 OR $1 = 'bundle' AND EXISTS (
			SELECT 1 FROM package_licenses g WHERE g.kind = 'bundle' AND g.slug = $2 AND `+broughtBy("g")+`))`,
		string(kind), slug)
	stopped := make(map[string]bool, len(list))
	for _, p := range list {
		stopped[p.slug] = p.stopped
	}
	return stopped, err
}

// Releases implements entitlement.Store.
func (s *Entitlements) Releases(ctx context.Context) ([]entitlement.Release, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (r entitlement.Release, err error) {
		err = row.Scan(&r.ID, &r.Market, &r.Product, &r.Instance, &r.Sealed, database.ScanMillis(&r.Due),
			database.ScanMillis(&r.Until), database.ScanMillis(&r.TryingUntil))
		return r, err
	}, `
		SELECT r.id, r.market, r.product, r.instance, r.key_sealed, r.due_ms, r.until_ms, nullif(r.trying_until_ms, 0)
		FROM license_releases r ORDER BY r.until_ms, r.id`+s.Lock("r"))
}

// PutRelease implements entitlement.Store.
func (s *Entitlements) PutRelease(ctx context.Context, r entitlement.Release) error {
	var trying int64
	if !r.TryingUntil.IsZero() {
		trying = r.TryingUntil.UnixMilli()
	}
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO license_releases (id, market, product, instance, key_sealed, due_ms, until_ms, trying_until_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (id) DO UPDATE SET
			due_ms = excluded.due_ms, until_ms = excluded.until_ms, trying_until_ms = excluded.trying_until_ms`,
		r.ID, r.Market, r.Product, r.Instance, r.Sealed, r.Due.UnixMilli(), r.Until.UnixMilli(), trying)
	return s.Wrap(err, "Release")
}

// DeleteRelease implements entitlement.Store.
func (s *Entitlements) DeleteRelease(ctx context.Context, id string) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM license_releases WHERE id = $1`, id)
	return err
}
