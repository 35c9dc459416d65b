-- +goose Up
-- What the payment provider gave back of an order that stays paid, in the units of
-- amount_minor.
ALTER TABLE orders ADD COLUMN partly_refunded_minor BIGINT NOT NULL DEFAULT 0;
