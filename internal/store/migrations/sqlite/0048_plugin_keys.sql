-- +goose Up
-- Plugin tokens have signing keys of their own: purpose 'plugin'. Which purposes there are
-- is for the program to know. SQLite cannot drop a CHECK, so the table is made again.
CREATE TABLE new_signing_keys (
    id             TEXT NOT NULL PRIMARY KEY,
    stage          TEXT NOT NULL CHECK (stage IN ('next', 'current', 'previous')),
    sealed         TEXT NOT NULL,
    created_at_ms  INTEGER NOT NULL,
    stage_since_ms INTEGER NOT NULL,
    purpose        TEXT NOT NULL
) STRICT;
INSERT INTO new_signing_keys (id, stage, sealed, created_at_ms, stage_since_ms, purpose)
SELECT id, stage, sealed, created_at_ms, stage_since_ms, purpose FROM signing_keys;
DROP TABLE signing_keys;
ALTER TABLE new_signing_keys RENAME TO signing_keys;
CREATE UNIQUE INDEX signing_keys_one ON signing_keys (purpose, stage) WHERE stage IN ('next', 'current');
