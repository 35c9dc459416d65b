-- +goose Up
-- What the payment provider gave back of an order that stays paid, in the units of
-- amount_minor.
ALTER TABLE orders ADD COLUMN partly_refunded_minor INTEGER NOT NULL DEFAULT 0;
