-- +goose Up
-- Mails that must not be lost, recorded in the transaction of what they are about. sealed is the
-- message, sealed with the master key, because it may hold a link that works once. Those that were
-- sent, or given up, are deleted. The previous release leaves them alone.
CREATE TABLE mails (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    sealed        TEXT COLLATE "C" NOT NULL,
    attempts      BIGINT NOT NULL DEFAULT 0,
    lease         TEXT COLLATE "C" NOT NULL DEFAULT '',
    due_ms        BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE INDEX mails_due ON mails (due_ms);
