-- +goose Up
-- The name of the trusted key that signed a package; empty if it is not signed.
ALTER TABLE plugin_packages ADD COLUMN signed_by TEXT NOT NULL DEFAULT '';
ALTER TABLE plugin_previous_versions ADD COLUMN signed_by TEXT NOT NULL DEFAULT '';

-- The packages that products of the market carry, every version. path is where the
-- archive is, in the data folder.
CREATE TABLE product_packages (
    kind            TEXT    NOT NULL,
    slug            TEXT    NOT NULL,
    version         TEXT    NOT NULL,
    product_id      TEXT    NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    path            TEXT    NOT NULL,
    zip_hash        TEXT    NOT NULL,
    signed_by       TEXT    NOT NULL,
    size            INTEGER NOT NULL,
    published_at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, slug, version)
) STRICT;
CREATE INDEX product_packages_product ON product_packages (product_id);
