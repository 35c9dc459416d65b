-- +goose Up
-- The provider's id of who pays; empty if it is not known, as for orders before this.
ALTER TABLE orders ADD COLUMN payment_customer TEXT NOT NULL DEFAULT '';
