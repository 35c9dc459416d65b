-- +goose Up
-- The name of the trusted key that signed a package; empty if it is not signed.
ALTER TABLE plugin_packages ADD COLUMN signed_by TEXT NOT NULL DEFAULT '';
ALTER TABLE plugin_previous_versions ADD COLUMN signed_by TEXT NOT NULL DEFAULT '';

-- The packages that products of the market carry, every version. path is where the
-- archive is, in the data folder.
CREATE TABLE product_packages (
    kind            TEXT COLLATE "C" NOT NULL,
    slug            TEXT COLLATE "C" NOT NULL,
    version         TEXT COLLATE "C" NOT NULL,
    product_id      TEXT COLLATE "C" NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    path            TEXT NOT NULL,
    zip_hash        TEXT COLLATE "C" NOT NULL,
    signed_by       TEXT NOT NULL,
    size            BIGINT NOT NULL,
    published_at_ms BIGINT NOT NULL,
    PRIMARY KEY (kind, slug, version)
);
CREATE INDEX product_packages_product ON product_packages (product_id);
