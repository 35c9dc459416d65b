-- +goose Up
-- The language of pages for which the reader names none; empty: that of the operator (STOA_LOCALE).
ALTER TABLE shop_settings ADD COLUMN language TEXT NOT NULL DEFAULT '';

-- The language that somebody chose for pages, as a tag.
ALTER TABLE users ADD COLUMN language TEXT;
