-- +goose Up
-- What shops write in place of stoa's own words. broken says that it could not be rendered when a mail was due.
CREATE TABLE mail_templates (
    kind          TEXT NOT NULL,
    language      TEXT NOT NULL,
    subject       TEXT NOT NULL,
    body          TEXT NOT NULL,
    broken        BOOLEAN NOT NULL DEFAULT FALSE,
    updated_at_ms BIGINT NOT NULL,
    PRIMARY KEY (kind, language)
);
ALTER TABLE shop_settings ADD COLUMN logo TEXT NOT NULL DEFAULT '';
-- The buyer's language, '' if it is not known.
ALTER TABLE orders ADD COLUMN language TEXT NOT NULL DEFAULT '';
