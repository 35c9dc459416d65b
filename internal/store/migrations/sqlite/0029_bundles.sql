-- +goose Up
-- Bundles, and what their items came to. manifest_json has no values of secret fields.
CREATE TABLE bundles (
    slug            TEXT PRIMARY KEY,
    id              TEXT    NOT NULL,
    request_id      TEXT    NOT NULL,
    zip_hash        TEXT    NOT NULL,
    from_market     INTEGER NOT NULL,
    signed_by       TEXT    NOT NULL,
    manifest_json   TEXT    NOT NULL,
    installed_at_ms INTEGER NOT NULL,
    updated_at_ms   INTEGER NOT NULL
) STRICT;
CREATE INDEX bundles_zip_hash ON bundles (zip_hash);

-- owned: the bundle installed the package. listed: the present version of the bundle has it;
-- the others come after those.
CREATE TABLE bundle_items (
    bundle_slug TEXT    NOT NULL REFERENCES bundles (slug) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    kind        TEXT    NOT NULL,
    slug        TEXT    NOT NULL,
    version     TEXT    NOT NULL,
    outcome     TEXT    NOT NULL,
    package_id  TEXT    NOT NULL,
    owned       INTEGER NOT NULL,
    listed      INTEGER NOT NULL,
    PRIMARY KEY (bundle_slug, position)
) STRICT;
CREATE INDEX bundle_items_package ON bundle_items (package_id, kind);
