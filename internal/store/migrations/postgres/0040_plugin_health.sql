-- +goose Up
-- Whether a package is a service of its own, whose health is asked.
ALTER TABLE plugin_packages ADD COLUMN external BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE plugin_packages SET external = TRUE WHERE manifest_json LIKE '%"external-http"%';

-- What the services of external plugins said of their health, last. It is of consequence
-- while the package is of the archive that was asked. healthy is NULL before the first
-- answer, and failed_at_ms while there was no failure.
CREATE TABLE plugin_health (
    package_slug TEXT COLLATE "C" PRIMARY KEY REFERENCES plugin_packages (slug) ON DELETE CASCADE,
    due_ms       BIGINT NOT NULL,
    zip_hash     TEXT COLLATE "C" NOT NULL,
    healthy      BOOLEAN,
    since_ms     BIGINT,
    failed_at_ms BIGINT,
    message      TEXT NOT NULL
);
