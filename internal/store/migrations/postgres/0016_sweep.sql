-- +goose Up
-- How often an unfinished order was tried to finish in vain, and when that is
-- tried next (NULL: at once).
ALTER TABLE orders ADD COLUMN sweep_tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN sweep_at_ms BIGINT;
