package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/extension/plugin"
)

// versionConsents is what a version was given.
type versionConsents struct {
	ZipHash string   `json:"zipHash"`
	Names   []string `json:"names"`
}

// PreviousVersion implements plugin.Packages.
func (p *Plugin) PreviousVersion(ctx context.Context, slug string) (plugin.Version, error) {
	var (
		v                  plugin.Version
		manifest, consents string
	)
	err := p.Read.QueryRowContext(ctx, `
		SELECT source, install_path, zip_hash, signed_by, manifest_json, consents_json
		FROM plugin_previous_versions
		WHERE package_slug = $1`, slug,
	).Scan(&v.Source, &v.InstallPath, &v.ZipHash, &v.SignedBy, &manifest, &consents)
	if err != nil {
		return plugin.Version{}, p.Wrap(err, "Previous version")
	}
	var given versionConsents
	if err := json.Unmarshal([]byte(consents), &given); err != nil {
		return plugin.Version{}, fmt.Errorf("store: consents of %s: %w", slug, err)
	}
	if given.ZipHash == v.ZipHash { // else the release before replaced the version
		v.Consents = given.Names
	}
	v.Manifest, err = plugin.DecodeManifest([]byte(manifest))
	return v, err
}

// ReplaceVersion implements plugin.Packages.
func (p *Plugin) ReplaceVersion(ctx context.Context, pkg plugin.Package, previous *plugin.Version) error {
	return p.Conn.InTx(ctx, func(tx database.Conn) error {
		res, err := tx.Write.ExecContext(ctx, `
			UPDATE plugin_packages
			SET source = $1, install_path = $2, zip_hash = $3, manifest_json = $4, upgrade_id = $5, updated_at_ms = $6,
				signed_by = $7, theme_extensions = $8, subscribes = $9, external = $10
			WHERE slug = $11 AND deleted_at_ms IS NULL`,
			string(pkg.Source), pkg.InstallPath, pkg.ZipHash, string(pkg.Manifest.Raw), pkg.UpgradeID,
			database.Millis(pkg.UpdatedAt), pkg.SignedBy,
			pkg.Manifest.ThemeExtensions.Any(), pkg.Manifest.Events.Any(), pkg.Manifest.RuntimeType == plugin.External,
			pkg.Manifest.Slug)
		if err := database.Affected(res, err, "Plugin"); err != nil || previous == nil {
			return err
		}
		consents, err := json.Marshal(versionConsents{previous.ZipHash, previous.Consents})
		if err != nil {
			return err
		}
		_, err = tx.Write.ExecContext(ctx, `
			INSERT INTO plugin_previous_versions (package_slug, source, install_path, zip_hash, signed_by, manifest_json,
				consents_json)
			VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (package_slug) DO UPDATE SET
				source = excluded.source, install_path = excluded.install_path,
				zip_hash = excluded.zip_hash, signed_by = excluded.signed_by, manifest_json = excluded.manifest_json,
				consents_json = excluded.consents_json`,
			pkg.Manifest.Slug, string(previous.Source), previous.InstallPath, previous.ZipHash,
			previous.SignedBy, string(previous.Manifest.Raw), string(consents))
		return p.Wrap(err, "Previous version")
	})
}

// RestorePackage implements plugin.Packages.
func (p *Plugin) RestorePackage(ctx context.Context, slug string, at time.Time) error {
	res, err := p.Write.ExecContext(ctx, `
		UPDATE plugin_packages SET deleted_at_ms = NULL, updated_at_ms = $1
		WHERE slug = $2 AND deleted_at_ms IS NOT NULL`, database.Millis(at), slug)
	return database.Affected(res, err, "Plugin")
}

// PurgePackage implements plugin.Packages. The rows that belong to a package are deleted with it.
func (p *Plugin) PurgePackage(ctx context.Context, slug string) error {
	res, err := p.Write.ExecContext(ctx, `DELETE FROM plugin_packages WHERE slug = $1`, slug)
	return database.Affected(res, err, "Plugin")
}
