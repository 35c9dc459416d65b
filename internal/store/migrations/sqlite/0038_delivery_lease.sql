-- +goose Up
-- When the lease of a queue ends, by the clock of the database: those of the processes
-- that share the queues may differ. due_ms tells only when something is due.
ALTER TABLE delivery_queues ADD COLUMN leased_until_ms INTEGER NOT NULL DEFAULT 0;
