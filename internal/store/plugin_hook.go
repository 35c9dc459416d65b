package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/extension/plugin"
)

// KeepRemains implements plugin.Outbox.
func (p *Plugin) KeepRemains(ctx context.Context, packageID string) (bool, error) {
	res, err := p.Write.ExecContext(ctx, `
		INSERT INTO plugin_remains (package_id, slug, source, install_path, previous_path, zip_hash, signed_by,
			manifest_json, settings_json, environment_sealed, settings_version, installed_at_ms, updated_at_ms,
			current_sealed, previous_sealed, previous_until_ms)
		SELECT p.id, p.slug, p.source, p.install_path, COALESCE(v.install_path, ''), p.zip_hash, p.signed_by,
			p.manifest_json, p.settings_json, p.environment_sealed, p.settings_version, p.installed_at_ms, p.updated_at_ms,
			s.current_sealed, s.previous_sealed, s.previous_until_ms
		FROM plugin_packages p
		JOIN plugin_secrets s ON s.package_slug = p.slug
		LEFT JOIN plugin_previous_versions v ON v.package_slug = p.slug
		WHERE p.id = $1
			AND EXISTS (SELECT 1 FROM deliveries d WHERE d.keeps = p.id AND d.keeps <> '' AND d.state = 'waiting')`, packageID)
	if err != nil {
		return false, p.Wrap(err, "Plugin")
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// Remains implements plugin.Outbox.
func (p *Plugin) Remains(ctx context.Context, packageID, installationID string) (plugin.Remains, error) {
	var (
		pr packageRow
		ir instanceRow
		r  plugin.Remains
	)
	secret := []any{&r.Secret.Current, &r.Secret.Previous, database.ScanMillis(&r.Secret.PreviousUntil)}
	err := p.Read.QueryRowContext(ctx, `
		SELECT `+packageColumns+`, `+instanceColumns+`, s.current_sealed, s.previous_sealed, s.previous_until_ms
		FROM plugin_instances i
		JOIN plugin_packages p ON p.slug = i.package_slug`+licenseJoin+`
		JOIN plugin_secrets s ON s.package_slug = p.slug
		WHERE i.id = $1 AND p.id = $2`, installationID, packageID,
	).Scan(append(append(pr.targets(), ir.targets()...), secret...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return p.purged(ctx, packageID)
	} else if err != nil {
		return plugin.Remains{}, err
	}
	if r.Package, err = p.decode(pr); err != nil {
		return plugin.Remains{}, err
	}
	r.Instance, err = ir.decode()
	if !r.Package.DeletedAt.IsZero() || !r.Instance.DeletedAt.IsZero() {
		r.Instance.Enabled = false
	}
	return r, err
}

// purged returns what KeepRemains has kept.
func (p *Plugin) purged(ctx context.Context, packageID string) (plugin.Remains, error) {
	var (
		pr packageRow
		r  plugin.Remains
	)
	secret := []any{&r.Secret.Current, &r.Secret.Previous, database.ScanMillis(&r.Secret.PreviousUntil)}
	err := p.Read.QueryRowContext(ctx, `
		SELECT r.package_id, r.source, r.install_path, r.zip_hash, r.signed_by, r.manifest_json,
			r.settings_json, r.environment_sealed, r.settings_version, '',
			r.installed_at_ms, r.updated_at_ms, NULL, `+noPluginLicense+`, r.current_sealed, r.previous_sealed,
			r.previous_until_ms
		FROM plugin_remains r WHERE r.package_id = $1`, packageID).Scan(append(pr.targets(), secret...)...)
	if err != nil {
		return plugin.Remains{}, p.Wrap(err, "Plugin")
	}
	r.Package, err = p.decode(pr)
	return r, err
}

// DropRemains implements plugin.Outbox.
func (p *Plugin) DropRemains(ctx context.Context) ([]string, error) {
	var paths []string
	rows, err := p.Write.QueryContext(ctx, `
		DELETE FROM plugin_remains WHERE NOT EXISTS (
			SELECT 1 FROM deliveries d
			WHERE d.keeps = plugin_remains.package_id AND d.keeps <> '' AND d.state = 'waiting')
		RETURNING install_path, previous_path`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var install, previous string
		if err := rows.Scan(&install, &previous); err != nil {
			return nil, err
		}
		paths = append(paths, install, previous)
	}
	return paths, rows.Err()
}

// Troubles implements plugin.Outbox.
func (p *Plugin) Troubles(ctx context.Context, ids []string) (map[string]plugin.Trouble, error) {
	troubles := make(map[string]plugin.Trouble)
	if len(ids) == 0 {
		return troubles, nil
	}
	type trouble struct {
		id string
		plugin.Trouble
	}
	list, err := database.All(ctx, p.Read, func(row database.Scanner) (t trouble, err error) {
		err = row.Scan(&t.id, &t.Hook, &t.Tries, &t.Dead, &t.Error)
		return t, err
	}, `
		SELECT d.target, d.name, d.tries, d.state = 'dead', COALESCE(a.error, '')
		FROM deliveries d
		LEFT JOIN delivery_attempts a ON a.delivery_id = d.id AND a.number = d.attempts
		WHERE d.kind = 'hook' AND d.state <> 'delivered' AND (d.state = 'dead' OR d.state = 'waiting' AND d.tries > 0)
			AND d.target IN (`+places(1, len(ids))+`)
		ORDER BY d.seq DESC`, anys(ids)...)
	for _, t := range list {
		troubles[t.id] = t.Trouble
	}
	return troubles, err
}

// Subscribers implements plugin.Outbox.
func (p *Plugin) Subscribers(ctx context.Context) ([]plugin.Found, error) {
	return database.All(ctx, p.Read, p.scanFound, `
		SELECT `+packageColumns+`, `+instanceColumns+`
		FROM plugin_instances i
		JOIN plugin_packages p ON p.slug = i.package_slug`+licenseJoin+`
		WHERE p.subscribes = $1 AND i.enabled = $2 AND i.deleted_at_ms IS NULL AND p.deleted_at_ms IS NULL
		ORDER BY i.id`, true, true)
}

// LockEventUse implements plugin.Store.
func (p *Plugin) LockEventUse(ctx context.Context, installationID string) (until time.Time, err error) {
	// The update changes nothing: it locks the row, whether it is new or not.
	err = p.Write.QueryRowContext(ctx, `
		INSERT INTO plugin_event_use (installation_id, spent_until_ms)
		SELECT i.id, 0 FROM plugin_instances i WHERE i.id = $1
		ON CONFLICT (installation_id) DO UPDATE SET spent_until_ms = plugin_event_use.spent_until_ms
		RETURNING nullif(spent_until_ms, 0)`, installationID).Scan(database.ScanMillis(&until))
	return until, p.Wrap(err, "Installation")
}

// SaveEventUse implements plugin.Store.
func (p *Plugin) SaveEventUse(ctx context.Context, installationID string, until time.Time) error {
	_, err := p.Write.ExecContext(ctx, `UPDATE plugin_event_use SET spent_until_ms = $1 WHERE installation_id = $2`,
		database.Millis(until), installationID)
	return err
}
