package store

import (
	"context"

	"stoa/internal/base/cache"
	"stoa/internal/data/database"
	"stoa/internal/extension/plugin"
)

// Plugin implements plugin.Store.
type Plugin struct {
	audited

	// manifests caches decoded manifests: the gateway needs one for every call.
	manifests *cache.Cache[manifestKey, plugin.Manifest]
	changes   *changes
}

// manifestKey names a manifest. A package that was installed from an archive has
// one manifest, which never changes.
type manifestKey struct{ packageID, zipHash string }

// maxManifests is how many decoded manifests are cached.
const maxManifests = 4096

var (
	_ plugin.Store       = (*Plugin)(nil)
	_ plugin.Generations = (*Plugin)(nil)
)

// NewPlugin returns the plugin packages of db, their instances and their secrets.
func NewPlugin(db *database.DB) *Plugin {
	shared := &changes{listen: db.Listen}
	return &Plugin{
		audited:   audited{db.Conn().OnWrite(shared.notify)},
		manifests: cache.New[manifestKey, plugin.Manifest](maxManifests),
		changes:   shared,
	}
}

// InTx implements plugin.Store.
func (p *Plugin) InTx(ctx context.Context, fn func(plugin.Store) error) error {
	return p.Conn.InTx(ctx, func(tx database.Conn) error { return fn(p.part(tx)) })
}

// part returns p as a part of tx.
func (p *Plugin) part(tx database.Conn) *Plugin {
	return &Plugin{audited: audited{tx}, manifests: p.manifests, changes: p.changes}
}

// GetSecret implements plugin.Secrets.
func (p *Plugin) GetSecret(ctx context.Context, slug string) (plugin.Secret, error) {
	var s plugin.Secret
	err := p.Read.QueryRowContext(ctx, `
		SELECT s.current_sealed, s.previous_sealed, s.previous_until_ms
		FROM plugin_secrets s
		JOIN plugin_packages p ON p.slug = s.package_slug
		WHERE s.package_slug = $1 AND p.deleted_at_ms IS NULL`, slug,
	).Scan(&s.Current, &s.Previous, database.ScanMillis(&s.PreviousUntil))
	return s, p.Wrap(err, "Plugin")
}

// PutSecret implements plugin.Secrets.
func (p *Plugin) PutSecret(ctx context.Context, slug string, s plugin.Secret) error {
	_, err := p.Write.ExecContext(ctx, `
		INSERT INTO plugin_secrets (package_slug, current_sealed, previous_sealed, previous_until_ms)
		VALUES ($1, $2, $3, $4)
		ON CONFLICT (package_slug) DO UPDATE SET
			current_sealed = excluded.current_sealed, previous_sealed = excluded.previous_sealed,
			previous_until_ms = excluded.previous_until_ms`,
		slug, s.Current, s.Previous, database.Millis(s.PreviousUntil))
	return p.Wrap(err, "Plugin")
}
