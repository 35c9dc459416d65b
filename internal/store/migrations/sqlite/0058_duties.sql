-- +goose Up
-- Work that one process at a time does: who has it, and until when by the clock of the
-- database. Backups leave this table out: it is about the processes, not about the shop.
CREATE TABLE duties (
    name     TEXT PRIMARY KEY,
    holder   TEXT NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT;
