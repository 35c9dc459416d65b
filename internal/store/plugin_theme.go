package store

import (
	"context"

	"stoa/internal/data/database"
	"stoa/internal/extension/plugin"
)

// Publishers implements plugin.Packages.
func (p *Plugin) Publishers(ctx context.Context) ([]plugin.Publisher, error) {
	return database.All(ctx, p.Read, func(row database.Scanner) (plugin.Publisher, error) {
		var (
			r         packageRow
			instances int
		)
		if err := row.Scan(append(r.targets(), &instances)...); err != nil {
			return plugin.Publisher{}, err
		}
		pkg, err := p.decode(r)
		return plugin.Publisher{Package: pkg, Instances: instances}, err
	}, `
		SELECT `+packageColumns+`, (
			SELECT count(*) FROM plugin_instances i
			WHERE i.package_slug = p.slug AND i.enabled = $1 AND i.deleted_at_ms IS NULL) AS enabled
		FROM plugin_packages p`+licenseJoin+`
		WHERE p.theme_extensions = $1 AND p.deleted_at_ms IS NULL
		ORDER BY p.slug`, true)
}

// EnabledInstances implements plugin.Instances.
func (p *Plugin) EnabledInstances(ctx context.Context, slug string, limit, offset int) ([]plugin.InstanceName, error) {
	return database.All(ctx, p.Read, func(row database.Scanner) (n plugin.InstanceName, err error) {
		err = row.Scan(&n.ID, &n.Key)
		return n, err
	}, `
		SELECT id, instance_key FROM plugin_instances
		WHERE package_slug = $1 AND enabled = $2 AND deleted_at_ms IS NULL
		ORDER BY created_at_ms, instance_key
		LIMIT $3 OFFSET $4`, slug, true, limit, offset)
}
