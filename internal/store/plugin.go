package store

import (
	"stoa/internal/database"

	"context"
	"database/sql"
	"sync"
	"time"

	"stoa/internal/plugin"
)

// Plugin implements plugin.Store.
type Plugin struct {
	conn

	// manifests holds decoded manifests by package id and archive: the gateway
	// asks for one on every call, and one package's manifest from one archive
	// never changes.
	manifests *sync.Map
}

var _ plugin.Store = (*Plugin)(nil)

// NewPlugin returns the plugins' view of db.
func NewPlugin(db *database.DB) *Plugin { return &Plugin{conn: newConn(db), manifests: new(sync.Map)} }

// InTx implements plugin.Store.
func (p *Plugin) InTx(ctx context.Context, fn func(plugin.Store) error) error {
	return p.inTx(ctx, func(c conn) error { return fn(&Plugin{conn: c, manifests: p.manifests}) })
}

const packageColumns = `p.id, p.source, p.install_path, p.zip_hash, p.manifest_json, p.installed_at_ms, p.updated_at_ms, p.deleted_at_ms`

// packageRow is where a row of packageColumns is scanned to.
type packageRow struct {
	pkg                         plugin.Package
	manifest                    string
	installed, updated, deleted sql.NullInt64
}

func (r *packageRow) targets() []any {
	return []any{&r.pkg.ID, &r.pkg.Source, &r.pkg.InstallPath, &r.pkg.ZipHash, &r.manifest, &r.installed, &r.updated, &r.deleted}
}

func (p *Plugin) read(r packageRow) (plugin.Package, error) {
	pkg := r.pkg
	pkg.InstalledAt, pkg.UpdatedAt, pkg.DeletedAt = fromMillis(r.installed), fromMillis(r.updated), fromMillis(r.deleted)
	key := [2]string{pkg.ID, pkg.ZipHash}
	if m, ok := p.manifests.Load(key); ok {
		pkg.Manifest = m.(plugin.Manifest)
		return pkg, nil
	}
	m, err := plugin.DecodeManifest([]byte(r.manifest))
	if err != nil {
		return plugin.Package{}, err
	}
	p.manifests.Store(key, m)
	pkg.Manifest = m
	return pkg, nil
}

func (p *Plugin) onePackage(row *sql.Row) (plugin.Package, error) {
	var r packageRow
	if err := row.Scan(r.targets()...); err != nil {
		return plugin.Package{}, p.Wrap(err, "Plugin")
	}
	return p.read(r)
}

// GetPackage implements plugin.Packages.
func (p *Plugin) GetPackage(ctx context.Context, slug string) (plugin.Package, error) {
	return p.onePackage(p.Read.QueryRowContext(ctx, `SELECT `+packageColumns+` FROM plugin_packages p WHERE p.slug = $1`+p.Lock("p"), slug))
}

// FindArchive implements plugin.Packages.
func (p *Plugin) FindArchive(ctx context.Context, zipHash string) (plugin.Package, error) {
	return p.onePackage(p.Read.QueryRowContext(ctx, `SELECT `+packageColumns+` FROM plugin_packages p WHERE p.zip_hash = $1`, zipHash))
}

// ListPackages implements plugin.Packages.
func (p *Plugin) ListPackages(ctx context.Context, page plugin.Page) ([]plugin.Package, int, error) {
	var total int
	if err := p.Read.QueryRowContext(ctx, `SELECT count(*) FROM plugin_packages WHERE deleted_at_ms IS NULL`).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := p.Read.QueryContext(ctx, `
		SELECT `+packageColumns+` FROM plugin_packages p
		WHERE p.deleted_at_ms IS NULL
		ORDER BY p.slug
		LIMIT $1 OFFSET $2`, page.Limit, page.Offset)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()

	list := []plugin.Package{}
	for rows.Next() {
		var r packageRow
		if err := rows.Scan(r.targets()...); err != nil {
			return nil, 0, err
		}
		pkg, err := p.read(r)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, pkg)
	}
	return list, total, rows.Err()
}

// CreatePackage implements plugin.Packages.
func (p *Plugin) CreatePackage(ctx context.Context, pkg plugin.Package) error {
	_, err := p.Write.ExecContext(ctx, `
		INSERT INTO plugin_packages (id, slug, source, install_path, zip_hash, manifest_json, installed_at_ms, updated_at_ms, deleted_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		pkg.ID, pkg.Manifest.Slug, string(pkg.Source), pkg.InstallPath, pkg.ZipHash, string(pkg.Manifest.Raw),
		database.Millis(pkg.InstalledAt), database.Millis(pkg.UpdatedAt), database.Millis(pkg.DeletedAt))
	return p.Wrap(err, "Plugin")
}

// DeletePackage implements plugin.Packages.
func (p *Plugin) DeletePackage(ctx context.Context, slug string, at time.Time) error {
	return p.inTx(ctx, func(c conn) error {
		res, err := c.Write.ExecContext(ctx, `
			UPDATE plugin_packages SET deleted_at_ms = $1, updated_at_ms = $2
			WHERE slug = $3 AND deleted_at_ms IS NULL`, database.Millis(at), database.Millis(at), slug)
		if err := database.Affected(res, err, "Plugin"); err != nil {
			return err
		}
		_, err = c.Write.ExecContext(ctx, `
			UPDATE plugin_instances SET enabled = $1, version = version + 1, updated_at_ms = $2
			WHERE package_slug = $3 AND deleted_at_ms IS NULL AND enabled = $4`, false, database.Millis(at), slug, true)
		return err
	})
}

// InstallPaths implements plugin.Packages.
func (p *Plugin) InstallPaths(ctx context.Context) ([]string, error) {
	return database.Texts(ctx, p.Read, `SELECT install_path FROM plugin_packages WHERE install_path <> '' ORDER BY install_path`)
}

// GetSecret implements plugin.Secrets.
func (p *Plugin) GetSecret(ctx context.Context, slug string) (plugin.Secret, error) {
	var s plugin.Secret
	var until sql.NullInt64
	err := p.Read.QueryRowContext(ctx, `
		SELECT s.current_sealed, s.previous_sealed, s.previous_until_ms
		FROM plugin_secrets s
		JOIN plugin_packages p ON p.slug = s.package_slug
		WHERE s.package_slug = $1 AND p.deleted_at_ms IS NULL`, slug).Scan(&s.Current, &s.Previous, &until)
	s.PreviousUntil = fromMillis(until)
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
