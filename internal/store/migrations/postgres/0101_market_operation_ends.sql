-- +goose Up
-- Why an operation waits (JSON as in failure; '' while it does not), and when it was over. One that was over before this
-- migration counts from when it began.
ALTER TABLE market_operations ADD COLUMN waiting TEXT NOT NULL DEFAULT '';
ALTER TABLE market_operations ADD COLUMN ended_at_ms BIGINT;
