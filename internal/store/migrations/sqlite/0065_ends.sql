-- +goose Up
-- Whether the subscription of an order ends with the period that is paid, when the
-- provider last said so or the contrary, and the same for the order's license.
ALTER TABLE orders ADD COLUMN subscription_ends INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN renewal_told_ms INTEGER;
ALTER TABLE licenses ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
