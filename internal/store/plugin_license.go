package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/extension/plugin"
)

// licenseJoin finds the license that decides about a plugin p: its own, or else that of a bundle that
// installed or upgraded it. Of several bundles, one whose license holds is enough.
var licenseJoin = `
		LEFT JOIN package_licenses l ON l.id = (
			SELECT g.id FROM package_licenses g
			WHERE ` + itsPackage("g") + `
				AND (g.kind = 'plugin' AND g.slug = p.slug OR g.kind = 'bundle' AND ` + broughtBy("g") + `)
			ORDER BY CASE g.kind WHEN 'plugin' THEN 0 ELSE 1 END, CASE g.state WHEN 'lapsed' THEN 1 ELSE 0 END, g.id
			LIMIT 1)`

// broughtBy is the condition that the bundle of a license installed or upgraded a plugin p, also if the bundle is gone
// and has left it: then p has its origin.
func broughtBy(license string) string {
	return strings.ReplaceAll(`(EXISTS (
			SELECT 1 FROM bundle_items b
			WHERE b.bundle_slug = g.slug AND b.package_id = p.id AND b.kind = 'plugin' AND (b.owned OR b.outcome = 'upgraded'))
		OR EXISTS (
			SELECT 1 FROM package_origins o
			WHERE o.kind = 'plugin' AND o.slug = p.slug AND o.zip_hash = p.zip_hash
				AND o.market_id = g.market AND o.product = g.product))`,
		"g.", license+".")
}

// itsPackage is the condition that what has the slug of a license is its package: it was seen installed with it, or
// came from its market and product. What somebody uploads while another package of the same slug is bought is not.
func itsPackage(license string) string {
	return strings.ReplaceAll(`(e.installed OR EXISTS (
		SELECT 1 FROM package_origins o
		WHERE o.kind = e.kind AND o.slug = e.slug AND o.market_id = e.market AND o.product = e.product))`,
		"e.", license+".")
}

const pluginLicenseColumns = `COALESCE(l.state, ''), COALESCE(l.tier, ''), COALESCE(l.trial, FALSE),
	COALESCE(l.features, ''), l.term_ends_ms, l.last_seen_ms, l.lease_until_ms, l.grace_until_ms`

// noPluginLicense is pluginLicenseColumns of a package that can have no license any more.
const noPluginLicense = `'', '', FALSE, '', NULL, NULL, NULL, NULL`

// pluginLicense receives pluginLicenseColumns.
type pluginLicense struct {
	plugin.License

	features string
}

func (r *pluginLicense) targets() []any {
	l := &r.License
	return []any{
		&l.State, &l.Tier, &l.Trial, &r.features, database.ScanMillis(&l.TermEnds), database.ScanMillis(&l.LastSeen),
		database.ScanMillis(&l.GraceFrom), database.ScanMillis(&l.StopsAt),
	}
}

func (r *pluginLicense) decode() (plugin.License, error) {
	if r.features == "" { // the usual case
		return r.License, nil
	}
	err := json.Unmarshal([]byte(r.features), &r.Features)
	return r.License, err
}

// lapsed reports whether the license that decides about a package that is no plugin has lapsed by now.
func lapsed(
	ctx context.Context, c database.Conn, kind extension.Kind, slug string, now time.Time,
) (is bool, err error) {
	err = c.Read.QueryRowContext(ctx, `
		SELECT COALESCE((
			SELECT l.state = 'lapsed' OR l.grace_until_ms <= $3 OR l.grace_until_ms <= l.last_seen_ms FROM package_licenses l
			WHERE `+itsPackage("l")+` AND (l.kind = $1 AND l.slug = $2 OR l.kind = 'bundle' AND EXISTS (
					SELECT 1 FROM bundle_items b
					WHERE b.bundle_slug = l.slug AND b.kind = $1 AND b.slug = $2 AND (b.owned OR b.outcome = 'upgraded')))
			ORDER BY CASE WHEN l.kind = $1 AND l.slug = $2 THEN 0 ELSE 1 END, CASE l.state WHEN 'lapsed' THEN 1 ELSE 0 END, l.id
			LIMIT 1), FALSE)`, string(kind), slug, now.UnixMilli()).Scan(&is)
	return is, err
}

// Lapsed implements theme.Store.
func (t *Theme) Lapsed(ctx context.Context, kind extension.Kind, slug string, now time.Time) (bool, error) {
	return lapsed(ctx, t.Conn, kind, slug, now)
}

// Lapsed implements bundle.Store.
func (s *Bundles) Lapsed(ctx context.Context, slug string, now time.Time) (bool, error) {
	return lapsed(ctx, s.Conn, extension.Bundle, slug, now)
}
