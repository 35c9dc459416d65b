-- +goose Up
-- What plugins store, by installation. Keys are bytes: any UTF-8, compared as such.
CREATE TABLE plugin_storage (
    installation_id TEXT NOT NULL REFERENCES plugin_instances (id) ON DELETE CASCADE,
    key             BLOB NOT NULL,
    content_type    TEXT NOT NULL,
    etag            TEXT NOT NULL,
    size            INTEGER NOT NULL,
    expires_at_ms   INTEGER,
    value           BLOB NOT NULL,
    PRIMARY KEY (installation_id, key)
) STRICT;
-- What has expired: of one installation, and of all.
CREATE INDEX plugin_storage_expired ON plugin_storage (installation_id, expires_at_ms) WHERE expires_at_ms IS NOT NULL;
CREATE INDEX plugin_storage_expiry ON plugin_storage (expires_at_ms, installation_id) WHERE expires_at_ms IS NOT NULL;

-- How much each installation stores. Whoever changes its storage locks its row.
CREATE TABLE plugin_storage_use (
    installation_id TEXT PRIMARY KEY REFERENCES plugin_instances (id) ON DELETE CASCADE,
    keys            INTEGER NOT NULL,
    bytes           INTEGER NOT NULL
) STRICT;
