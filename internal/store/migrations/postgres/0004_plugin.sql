-- +goose Up
-- Installed packages (spec B, Plugin package). An uninstalled one keeps its row,
-- and so its slug.
CREATE TABLE plugin_packages (
    id              TEXT PRIMARY KEY,
    slug            TEXT NOT NULL UNIQUE,
    source          TEXT NOT NULL,
    install_path    TEXT NOT NULL,
    zip_hash        TEXT NOT NULL,
    manifest_json   TEXT NOT NULL,
    installed_at_ms BIGINT NOT NULL,
    updated_at_ms   BIGINT NOT NULL,
    deleted_at_ms   BIGINT
);
CREATE INDEX plugin_packages_zip_hash ON plugin_packages (zip_hash);

-- Configured uses of a package. config_sealed is encrypted with the master key.
CREATE TABLE plugin_instances (
    id            TEXT PRIMARY KEY,
    package_slug  TEXT NOT NULL REFERENCES plugin_packages (slug) ON DELETE CASCADE,
    instance_key  TEXT NOT NULL,
    enabled       BOOLEAN NOT NULL,
    config_sealed TEXT NOT NULL,
    granted       TEXT NOT NULL,
    version       BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL,
    deleted_at_ms BIGINT,
    UNIQUE (package_slug, instance_key)
);

-- The secrets that requests to a package are signed with, encrypted.
CREATE TABLE plugin_secrets (
    package_slug      TEXT PRIMARY KEY REFERENCES plugin_packages (slug) ON DELETE CASCADE,
    current_sealed    TEXT NOT NULL,
    previous_sealed   TEXT NOT NULL,
    previous_until_ms BIGINT
);
