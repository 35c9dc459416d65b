-- +goose Up
-- What became of the last backup and of its verification, and which process makes the next
-- one. Backups leave this table out: it is about the place, not about the shop. Times are
-- by the clock of the database; 0 means never.
CREATE TABLE backup_jobs (
    kind            TEXT PRIMARY KEY CHECK (kind IN ('backup', 'verify')),
    leased_until_ms BIGINT NOT NULL DEFAULT 0,
    holder          TEXT NOT NULL DEFAULT '', -- of the lease
    began_at_ms     BIGINT NOT NULL DEFAULT 0,
    ok_at_ms        BIGINT NOT NULL DEFAULT 0,
    ok_name         TEXT NOT NULL DEFAULT '',
    ok_bytes        BIGINT NOT NULL DEFAULT 0,
    ok_took_ms      BIGINT NOT NULL DEFAULT 0,
    failed_at_ms    BIGINT NOT NULL DEFAULT 0,
    error           TEXT NOT NULL DEFAULT ''
);
INSERT INTO backup_jobs (kind) VALUES ('backup'), ('verify');
