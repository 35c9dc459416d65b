-- +goose Up
-- The versions of themes, which stand side by side. An uninstalled one keeps its row
-- until it is installed again or purged.
CREATE TABLE theme_versions (
    id              TEXT PRIMARY KEY,
    kind            TEXT NOT NULL,
    target          TEXT NOT NULL,
    slug            TEXT NOT NULL,
    version         TEXT NOT NULL,
    request_id      TEXT NOT NULL,
    install_path    TEXT NOT NULL,
    zip_hash        TEXT NOT NULL,
    from_market     INTEGER NOT NULL,
    signed_by       TEXT NOT NULL,
    manifest_json   TEXT NOT NULL,
    replaced        INTEGER NOT NULL,
    installed_at_ms INTEGER NOT NULL,
    updated_at_ms   INTEGER NOT NULL,
    deleted_at_ms   INTEGER,
    UNIQUE (target, slug, version)
) STRICT;
CREATE INDEX theme_versions_zip_hash ON theme_versions (zip_hash);

-- What each target shows: the built-in theme if active_slug is empty. Whoever changes
-- the themes of a target locks its row. Configs are encrypted with the master key.
CREATE TABLE theme_targets (
    target                 TEXT PRIMARY KEY,
    active_slug            TEXT NOT NULL DEFAULT '',
    active_version         TEXT NOT NULL DEFAULT '',
    active_config_sealed   TEXT NOT NULL DEFAULT '',
    previous_slug          TEXT NOT NULL DEFAULT '',
    previous_version       TEXT NOT NULL DEFAULT '',
    previous_config_sealed TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT INTO theme_targets (target) VALUES ('shop'), ('admin');

-- Whether a package's manifest has themeExtensions. Of earlier packages nobody knows
-- without reading it.
ALTER TABLE plugin_packages ADD COLUMN theme_extensions INTEGER NOT NULL DEFAULT 1;
