-- +goose Up
-- The processes on this database and the master keys they know, so that stoa keys rewrap
-- waits until all of them know the new one. Backups leave this table out: it is about the
-- place, not about the shop. Times are by the clock of the database.
CREATE TABLE master_key_holders (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,   -- of the process, for people
    keys       TEXT NOT NULL,   -- ids of the keys, the one that seals first
    seen_at_ms BIGINT NOT NULL
);
