-- +goose Up
-- Whether a package subscribes to events.
ALTER TABLE plugin_packages ADD COLUMN subscribes INTEGER NOT NULL DEFAULT 0;
UPDATE plugin_packages SET subscribes = 1 WHERE manifest_json LIKE '%"events"%';

-- What is left of packages that were purged while hooks waited that need it: files at
-- both paths, the manifest, the secrets. It goes with the last of these hooks.
CREATE TABLE plugin_remains (
    package_id         TEXT PRIMARY KEY,
    slug               TEXT NOT NULL,
    source             TEXT NOT NULL,
    install_path       TEXT NOT NULL,
    previous_path      TEXT NOT NULL,
    zip_hash           TEXT NOT NULL,
    signed_by          TEXT NOT NULL,
    manifest_json      TEXT NOT NULL,
    settings_json      TEXT NOT NULL,
    environment_sealed TEXT NOT NULL,
    settings_version   INTEGER NOT NULL,
    installed_at_ms    INTEGER NOT NULL,
    updated_at_ms      INTEGER NOT NULL,
    current_sealed     TEXT NOT NULL,
    previous_sealed    TEXT NOT NULL,
    previous_until_ms  INTEGER
) STRICT;
