-- +goose Up
-- Bundles, and what their items came to. manifest_json has no values of secret fields.
CREATE TABLE bundles (
    slug            TEXT COLLATE "C" PRIMARY KEY,
    id              TEXT COLLATE "C" NOT NULL,
    request_id      TEXT COLLATE "C" NOT NULL,
    zip_hash        TEXT COLLATE "C" NOT NULL,
    from_market     BOOLEAN NOT NULL,
    signed_by       TEXT COLLATE "C" NOT NULL,
    manifest_json   TEXT NOT NULL,
    installed_at_ms BIGINT NOT NULL,
    updated_at_ms   BIGINT NOT NULL
);
CREATE INDEX bundles_zip_hash ON bundles (zip_hash);

-- owned: the bundle installed the package. listed: the present version of the bundle has it;
-- the others come after those.
CREATE TABLE bundle_items (
    bundle_slug TEXT COLLATE "C" NOT NULL REFERENCES bundles (slug) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    kind        TEXT COLLATE "C" NOT NULL,
    slug        TEXT COLLATE "C" NOT NULL,
    version     TEXT COLLATE "C" NOT NULL,
    outcome     TEXT COLLATE "C" NOT NULL,
    package_id  TEXT COLLATE "C" NOT NULL,
    owned       BOOLEAN NOT NULL,
    listed      BOOLEAN NOT NULL,
    PRIMARY KEY (bundle_slug, position)
);
CREATE INDEX bundle_items_package ON bundle_items (package_id, kind);
