-- +goose Up
-- Whether a package is a service of its own, whose health is asked.
ALTER TABLE plugin_packages ADD COLUMN external INTEGER NOT NULL DEFAULT 0;
UPDATE plugin_packages SET external = 1 WHERE manifest_json LIKE '%"external-http"%';

-- What the services of external plugins said of their health, last. It is of consequence
-- while the package is of the archive that was asked. healthy is NULL before the first
-- answer, and failed_at_ms while there was no failure.
CREATE TABLE plugin_health (
    package_slug TEXT PRIMARY KEY REFERENCES plugin_packages (slug) ON DELETE CASCADE,
    due_ms       INTEGER NOT NULL,
    zip_hash     TEXT NOT NULL,
    healthy      INTEGER,
    since_ms     INTEGER,
    failed_at_ms INTEGER,
    message      TEXT NOT NULL
) STRICT;
