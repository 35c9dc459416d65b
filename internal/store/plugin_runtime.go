package store

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"stoa/internal/data/database"
	"stoa/internal/extension/plugin"
)

// UpdateSettings implements plugin.Packages.
func (p *Plugin) UpdateSettings(ctx context.Context, slug string, s plugin.Settings) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	res, err := p.Write.ExecContext(ctx, `
		UPDATE plugin_packages
		SET settings_json = $1, environment_sealed = $2, keep_running = $3, settings_version = $4
		WHERE slug = $5 AND deleted_at_ms IS NULL`, string(text), s.Sealed, s.KeepRunning, s.Version, slug)
	return database.Affected(res, err, "Plugin")
}

// KeptRunning implements plugin.Packages.
func (p *Plugin) KeptRunning(ctx context.Context) ([]plugin.Found, error) {
	return database.All(ctx, p.Read, p.scanFound, `
		SELECT `+packageColumns+`, `+instanceColumns+`
		FROM plugin_instances i
		JOIN plugin_packages p ON p.slug = i.package_slug`+licenseJoin+`
		WHERE p.keep_running = $1 AND i.enabled = $2 AND i.deleted_at_ms IS NULL AND p.deleted_at_ms IS NULL
		ORDER BY i.id`, true, true)
}

func (p *Plugin) scanFound(row database.Scanner) (plugin.Found, error) {
	var (
		pr packageRow
		ir instanceRow
	)
	if err := row.Scan(append(pr.targets(), ir.targets()...)...); err != nil {
		return plugin.Found{}, err
	}
	pkg, err := p.decode(pr)
	if err != nil {
		return plugin.Found{}, err
	}
	in, err := ir.decode()
	return plugin.Found{Package: pkg, Instance: in}, err
}

// PutFailure implements plugin.Failures.
func (p *Plugin) PutFailure(ctx context.Context, id string, r plugin.Revision, f plugin.Failure) error {
	_, err := p.Write.ExecContext(ctx, `
		INSERT INTO plugin_failures (installation_id, instance_version, zip_hash, failed_at_ms, message, file, line)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (installation_id) DO UPDATE SET
			instance_version = excluded.instance_version, zip_hash = excluded.zip_hash,
			failed_at_ms = excluded.failed_at_ms, message = excluded.message, file = excluded.file, line = excluded.line`,
		id, r.Instance, r.ZipHash, database.Millis(f.At), storable(f.Message), storable(f.File), f.Line)
	return p.Wrap(err, "Instance")
}

// storable returns a text that both engines keep: PostgreSQL takes no NUL, and only
// UTF-8.
func storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
}

// Failures implements plugin.Failures.
func (p *Plugin) Failures(ctx context.Context, ids []string) (map[string]plugin.Failure, error) {
	found := make(map[string]plugin.Failure)
	if len(ids) == 0 {
		return found, nil
	}
	args, places := make([]any, len(ids)), make([]string, len(ids))
	for i, id := range ids {
		args[i], places[i] = id, "$"+strconv.Itoa(i+1)
	}
	type failure struct {
		id string
		plugin.Failure
	}
	scan := func(row database.Scanner) (f failure, err error) {
		err = row.Scan(&f.id, database.ScanMillis(&f.At), &f.Message, &f.File, &f.Line)
		return f, err
	}
	list, err := database.All(ctx, p.Read, scan, `
		SELECT f.installation_id, f.failed_at_ms, f.message, f.file, f.line
		FROM plugin_failures f
		JOIN plugin_instances i ON i.id = f.installation_id AND i.version = f.instance_version
		JOIN plugin_packages p ON p.slug = i.package_slug AND p.zip_hash = f.zip_hash
		WHERE f.installation_id IN (`+strings.Join(places, ", ")+`)`, args...)
	for _, f := range list {
		found[f.id] = f.Failure
	}
	return found, err
}
