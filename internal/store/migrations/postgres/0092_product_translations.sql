-- +goose Up
-- What products say in other languages: JSON by tag, '' for none. The search text of a product has their words.
ALTER TABLE products ADD COLUMN translations TEXT NOT NULL DEFAULT '';
