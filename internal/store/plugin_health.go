package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/extension/plugin"
)

// ClaimProbes implements plugin.Healths.
func (p *Plugin) ClaimProbes(ctx context.Context, now, next time.Time, limit int) ([]plugin.Found, error) {
	const due = `
		FROM plugin_packages p
		WHERE p.external = $1 AND p.deleted_at_ms IS NULL
			AND EXISTS (SELECT 1 FROM plugin_instances i
				WHERE i.package_slug = p.slug AND i.enabled = $1 AND i.deleted_at_ms IS NULL)
			AND NOT EXISTS (SELECT 1 FROM plugin_health h WHERE h.package_slug = p.slug AND h.due_ms > $2)
		ORDER BY p.slug LIMIT $3`
	// Usually nothing is due. This query finds that out without a transaction.
	slugs, err := database.Texts(ctx, p.Read, `SELECT p.slug`+due, true, database.Millis(now), limit)
	if err != nil || len(slugs) == 0 {
		return nil, err
	}
	// Of two processes that get here, the second waits for the first, and then finds that the
	// package is no longer due.
	slugs, err = database.Texts(ctx, p.Write, `
		INSERT INTO plugin_health (package_slug, due_ms, zip_hash, message)
		SELECT p.slug, CAST($4 AS BIGINT), '', ''`+due+`
		ON CONFLICT (package_slug) DO UPDATE SET due_ms = excluded.due_ms WHERE plugin_health.due_ms <= $2
		RETURNING package_slug`, true, database.Millis(now), limit, database.Millis(next))
	if err != nil || len(slugs) == 0 {
		return nil, err
	}
	return database.All(ctx, p.Read, p.scanFound, `
		SELECT `+packageColumns+`, `+instanceColumns+`
		FROM plugin_packages p
		JOIN plugin_instances i ON i.id = (
			SELECT o.id FROM plugin_instances o
			WHERE o.package_slug = p.slug AND o.enabled = $1 AND o.deleted_at_ms IS NULL
			ORDER BY CASE WHEN o.instance_key = 'default' THEN 0 ELSE 1 END, o.created_at_ms, o.id LIMIT 1)`+licenseJoin+`
		WHERE p.deleted_at_ms IS NULL AND p.slug IN (`+places(2, len(slugs))+`)
		ORDER BY p.slug`, append([]any{true}, anys(slugs)...)...)
}

// PutHealth implements plugin.Healths.
func (p *Plugin) PutHealth(ctx context.Context, slug string, h plugin.Health) error {
	_, err := p.Write.ExecContext(ctx, `
		UPDATE plugin_health SET
			since_ms = CASE WHEN healthy = $1 AND zip_hash = $2 THEN since_ms ELSE $3 END,
			failed_at_ms = CASE WHEN $4 = '' AND zip_hash = $2 THEN failed_at_ms ELSE $5 END,
			message = CASE WHEN $4 = '' AND zip_hash = $2 THEN message ELSE $4 END,
			healthy = $1, zip_hash = $2
		WHERE package_slug = $6`,
		h.Healthy, h.ZipHash, database.Millis(h.Since), storable(h.LastError.Message), database.Millis(h.LastError.At), slug)
	return p.Wrap(err, "Plugin")
}

// Healths implements plugin.Healths.
func (p *Plugin) Healths(ctx context.Context, slugs ...string) (map[string]plugin.Health, error) {
	type row struct {
		slug string
		plugin.Health
	}
	scan := func(from database.Scanner) (r row, err error) {
		err = from.Scan(&r.slug, &r.ZipHash, database.ScanMillis(&r.Due), &r.Healthy, database.ScanMillis(&r.Since),
			database.ScanMillis(&r.LastError.At), &r.LastError.Message)
		return r, err
	}
	among := ""
	if len(slugs) > 0 {
		among = ` AND p.slug IN (` + places(1, len(slugs)) + `)`
	}
	list, err := database.All(ctx, p.Read, scan, `
		SELECT h.package_slug, h.zip_hash, h.due_ms, h.healthy, h.since_ms, h.failed_at_ms, h.message
		FROM plugin_health h
		JOIN plugin_packages p ON p.slug = h.package_slug AND p.zip_hash = h.zip_hash
		WHERE p.deleted_at_ms IS NULL AND h.healthy IS NOT NULL`+among, anys(slugs)...)
	found := make(map[string]plugin.Health, len(list))
	for _, r := range list {
		found[r.slug] = r.Health
	}
	return found, err
}
