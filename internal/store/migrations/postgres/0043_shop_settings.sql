-- +goose Up
-- What the shop says of itself, in one row. '' is what nobody has set.
CREATE TABLE shop_settings (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    name          TEXT NOT NULL DEFAULT '',
    accent        TEXT NOT NULL DEFAULT '',
    support_email TEXT NOT NULL DEFAULT '',
    support_url   TEXT NOT NULL DEFAULT '',
    terms_url     TEXT NOT NULL DEFAULT '',
    privacy_url   TEXT NOT NULL DEFAULT '',
    version       BIGINT NOT NULL DEFAULT 1,
    updated_at_ms BIGINT
);
INSERT INTO shop_settings (id) VALUES (1);
