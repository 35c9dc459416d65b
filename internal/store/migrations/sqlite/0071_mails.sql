-- +goose Up
-- Mails that must not be lost, recorded in the transaction of what they are about. sealed is the
-- message, sealed with the master key, because it may hold a link that works once. Those that were
-- sent, or given up, are deleted. The previous release leaves them alone.
CREATE TABLE mails (
    id            TEXT PRIMARY KEY,
    sealed        TEXT NOT NULL,
    attempts      INTEGER NOT NULL DEFAULT 0,
    lease         TEXT NOT NULL DEFAULT '',
    due_ms        INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX mails_due ON mails (due_ms);
