-- +goose Up
-- Whether a package subscribes to events.
ALTER TABLE plugin_packages ADD COLUMN subscribes BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE plugin_packages SET subscribes = TRUE WHERE manifest_json LIKE '%"events"%';

-- What is left of packages that were purged while hooks waited that need it: files at
-- both paths, the manifest, the secrets. It goes with the last of these hooks.
CREATE TABLE plugin_remains (
    package_id         TEXT COLLATE "C" PRIMARY KEY,
    slug               TEXT COLLATE "C" NOT NULL,
    source             TEXT COLLATE "C" NOT NULL,
    install_path       TEXT COLLATE "C" NOT NULL,
    previous_path      TEXT COLLATE "C" NOT NULL,
    zip_hash           TEXT COLLATE "C" NOT NULL,
    signed_by          TEXT COLLATE "C" NOT NULL,
    manifest_json      TEXT NOT NULL,
    settings_json      TEXT NOT NULL,
    environment_sealed TEXT NOT NULL,
    settings_version   BIGINT NOT NULL,
    installed_at_ms    BIGINT NOT NULL,
    updated_at_ms      BIGINT NOT NULL,
    current_sealed     TEXT NOT NULL,
    previous_sealed    TEXT NOT NULL,
    previous_until_ms  BIGINT
);
