-- +goose Up
-- Mails with a link to choose a new password. The link's token is not kept, only
-- its hash. open is false once the link was used or voided; such rows are left
-- for an hour, because mails are counted.
CREATE TABLE password_resets (
    token_hash    TEXT PRIMARY KEY,
    user_id       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    open          BOOLEAN NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE INDEX password_resets_user ON password_resets (user_id, created_at_ms);
CREATE INDEX password_resets_age ON password_resets (created_at_ms);
