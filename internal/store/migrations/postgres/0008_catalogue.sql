-- +goose Up
-- position is where the shop's owner puts a product among those that are featured
-- as much: lower first. version counts what administrators change, for ETags.
ALTER TABLE products ADD COLUMN position BIGINT NOT NULL DEFAULT 0;
ALTER TABLE products ADD COLUMN version BIGINT NOT NULL DEFAULT 1;

DROP INDEX products_featured;
DROP INDEX products_category;
CREATE INDEX products_featured ON products (published, featured DESC, position, download_count DESC, id);
CREATE INDEX products_category ON products (published, category, featured DESC, position, download_count DESC, id);
