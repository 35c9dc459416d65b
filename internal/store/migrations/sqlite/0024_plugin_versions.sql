-- +goose Up
-- The version of a package that a rollback returns to, and the request that
-- installed the present one (empty if it was the first).
ALTER TABLE plugin_packages ADD COLUMN upgrade_id TEXT NOT NULL DEFAULT '';
CREATE TABLE plugin_previous_versions (
    package_slug  TEXT PRIMARY KEY REFERENCES plugin_packages (slug) ON DELETE CASCADE,
    source        TEXT NOT NULL,
    install_path  TEXT NOT NULL,
    zip_hash      TEXT NOT NULL,
    manifest_json TEXT NOT NULL
) STRICT;
