-- +goose Up
-- tier_id is what a period was paid for. NULL: the tier of the order.
ALTER TABLE payments ADD COLUMN tier_id TEXT;
