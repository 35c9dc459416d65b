-- +goose Up
-- What an administrator has set for a package. environment_sealed is encrypted with
-- the master key; settings_version counts the changes.
ALTER TABLE plugin_packages ADD COLUMN settings_json TEXT NOT NULL DEFAULT '{}';
ALTER TABLE plugin_packages ADD COLUMN environment_sealed TEXT NOT NULL DEFAULT '';
ALTER TABLE plugin_packages ADD COLUMN keep_running INTEGER NOT NULL DEFAULT 0;
ALTER TABLE plugin_packages ADD COLUMN settings_version INTEGER NOT NULL DEFAULT 0;

-- Why an instance could not be loaded or its process ended, last. It is of
-- consequence while instance and package are those it happened to.
CREATE TABLE plugin_failures (
    installation_id  TEXT PRIMARY KEY REFERENCES plugin_instances (id) ON DELETE CASCADE,
    instance_version INTEGER NOT NULL,
    zip_hash         TEXT NOT NULL,
    failed_at_ms     INTEGER NOT NULL,
    message          TEXT NOT NULL,
    file             TEXT NOT NULL,
    line             INTEGER NOT NULL
) STRICT;
