package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/extension/plugin"
)

const packageColumns = `p.id, p.source, p.install_path, p.zip_hash, p.signed_by, p.manifest_json,
	p.settings_json, p.environment_sealed, p.settings_version, p.upgrade_id,
	p.installed_at_ms, p.updated_at_ms, p.deleted_at_ms, ` + pluginLicenseColumns

// packageRow receives a row of packageColumns. Plugin.decode turns it into a
// plugin.Package.
type packageRow struct {
	pkg      plugin.Package
	manifest string
	settings string
	sealed   string // Settings.Sealed
	license  pluginLicense
	version  int64 // Settings.Version
}

func (r *packageRow) targets() []any {
	return append([]any{
		&r.pkg.ID, &r.pkg.Source, &r.pkg.InstallPath, &r.pkg.ZipHash, &r.pkg.SignedBy, &r.manifest,
		&r.settings, &r.sealed, &r.version, &r.pkg.UpgradeID,
		database.ScanMillis(&r.pkg.InstalledAt), database.ScanMillis(&r.pkg.UpdatedAt), database.ScanMillis(&r.pkg.DeletedAt),
	}, r.license.targets()...)
}

func (p *Plugin) decode(r packageRow) (plugin.Package, error) {
	pkg := r.pkg
	if r.settings != "{}" { // the usual case, and this is done for every call
		if err := json.Unmarshal([]byte(r.settings), &pkg.Settings); err != nil {
			return plugin.Package{}, fmt.Errorf("store: settings of package %s: %w", pkg.ID, err)
		}
	}
	pkg.Settings.Sealed, pkg.Settings.Version = r.sealed, r.version
	license, err := r.license.decode()
	if err != nil {
		return plugin.Package{}, fmt.Errorf("store: license of package %s: %w", pkg.ID, err)
	}
	pkg.License = license
	key := manifestKey{pkg.ID, pkg.ZipHash}
	if m, ok := p.manifests.Get(key); ok {
		pkg.Manifest = m
		return pkg, nil
	}
	m, err := plugin.DecodeManifest([]byte(r.manifest))
	if err != nil {
		return plugin.Package{}, err
	}
	p.manifests.Put(key, m)
	pkg.Manifest = m
	return pkg, nil
}

func (p *Plugin) scanPackage(row database.Scanner) (plugin.Package, error) {
	var r packageRow
	if err := row.Scan(r.targets()...); err != nil {
		return plugin.Package{}, err
	}
	return p.decode(r)
}

// GetPackage implements plugin.Packages.
func (p *Plugin) GetPackage(ctx context.Context, slug string) (plugin.Package, error) {
	pkg, err := p.scanPackage(p.Read.QueryRowContext(ctx,
		`SELECT `+packageColumns+` FROM plugin_packages p`+licenseJoin+` WHERE p.slug = $1`+p.Lock("p"), slug))
	return pkg, p.Wrap(err, "Plugin")
}

// FindArchive implements plugin.Packages.
func (p *Plugin) FindArchive(ctx context.Context, zipHash string) (plugin.Package, error) {
	pkg, err := p.scanPackage(p.Read.QueryRowContext(ctx,
		`SELECT `+packageColumns+` FROM plugin_packages p`+licenseJoin+` WHERE p.zip_hash = $1`, zipHash))
	return pkg, p.Wrap(err, "Plugin")
}

// CreatePackage implements plugin.Packages.
func (p *Plugin) CreatePackage(ctx context.Context, pkg plugin.Package) error {
	_, err := p.Write.ExecContext(ctx, `
		INSERT INTO plugin_packages (id, slug, source, install_path, zip_hash, signed_by, manifest_json,
			installed_at_ms, updated_at_ms, deleted_at_ms, theme_extensions, subscribes, external)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		pkg.ID, pkg.Manifest.Slug, string(pkg.Source), pkg.InstallPath, pkg.ZipHash, pkg.SignedBy, string(pkg.Manifest.Raw),
		database.Millis(pkg.InstalledAt), database.Millis(pkg.UpdatedAt), database.Millis(pkg.DeletedAt),
		pkg.Manifest.ThemeExtensions.Any(), pkg.Manifest.Events.Any(), pkg.Manifest.RuntimeType == plugin.External)
	return p.Wrap(err, "Plugin")
}

// DeletePackage implements plugin.Packages.
func (p *Plugin) DeletePackage(ctx context.Context, slug string, at time.Time) error {
	return p.Conn.InTx(ctx, func(tx database.Conn) error {
		res, err := tx.Write.ExecContext(ctx, `
			UPDATE plugin_packages SET deleted_at_ms = $1, updated_at_ms = $2
			WHERE slug = $3 AND deleted_at_ms IS NULL`, database.Millis(at), database.Millis(at), slug)
		if err := database.Affected(res, err, "Plugin"); err != nil {
			return err
		}
		_, err = tx.Write.ExecContext(ctx, `
			UPDATE plugin_instances SET enabled = $1, version = version + 1, updated_at_ms = $2
			WHERE package_slug = $3 AND deleted_at_ms IS NULL AND enabled = $4`, false, database.Millis(at), slug, true)
		return err
	})
}

// InstallPaths implements plugin.Packages.
func (p *Plugin) InstallPaths(ctx context.Context) ([]string, error) {
	return database.Texts(ctx, p.Read, `
		SELECT install_path FROM plugin_packages WHERE install_path <> ''
		UNION SELECT install_path FROM plugin_previous_versions WHERE install_path <> ''
		UNION SELECT install_path FROM plugin_remains WHERE install_path <> ''
		UNION SELECT previous_path FROM plugin_remains WHERE previous_path <> ''
		ORDER BY install_path`)
}
