-- +goose Up
-- The versions of themes, which stand side by side. An uninstalled one keeps its row
-- until it is installed again or purged.
CREATE TABLE theme_versions (
    id              TEXT COLLATE "C" PRIMARY KEY,
    kind            TEXT COLLATE "C" NOT NULL,
    target          TEXT COLLATE "C" NOT NULL,
    slug            TEXT COLLATE "C" NOT NULL,
    version         TEXT COLLATE "C" NOT NULL,
    request_id      TEXT COLLATE "C" NOT NULL,
    install_path    TEXT COLLATE "C" NOT NULL,
    zip_hash        TEXT COLLATE "C" NOT NULL,
    from_market     BOOLEAN NOT NULL,
    signed_by       TEXT COLLATE "C" NOT NULL,
    manifest_json   TEXT NOT NULL,
    replaced        BOOLEAN NOT NULL,
    installed_at_ms BIGINT NOT NULL,
    updated_at_ms   BIGINT NOT NULL,
    deleted_at_ms   BIGINT,
    UNIQUE (target, slug, version)
);
CREATE INDEX theme_versions_zip_hash ON theme_versions (zip_hash);

-- What each target shows: the built-in theme if active_slug is empty. Whoever changes
-- the themes of a target locks its row. Configs are encrypted with the master key.
CREATE TABLE theme_targets (
    target                 TEXT COLLATE "C" PRIMARY KEY,
    active_slug            TEXT COLLATE "C" NOT NULL DEFAULT '',
    active_version         TEXT COLLATE "C" NOT NULL DEFAULT '',
    active_config_sealed   TEXT COLLATE "C" NOT NULL DEFAULT '',
    previous_slug          TEXT COLLATE "C" NOT NULL DEFAULT '',
    previous_version       TEXT COLLATE "C" NOT NULL DEFAULT '',
    previous_config_sealed TEXT COLLATE "C" NOT NULL DEFAULT ''
);
INSERT INTO theme_targets (target) VALUES ('shop'), ('admin');

-- Whether a package's manifest has themeExtensions. Of earlier packages nobody knows
-- without reading it.
ALTER TABLE plugin_packages ADD COLUMN theme_extensions BOOLEAN NOT NULL DEFAULT TRUE;
