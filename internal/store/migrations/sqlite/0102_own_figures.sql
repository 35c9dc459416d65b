-- +goose Up
-- Whether a change at once costs what stoa computes, though the provider has a subscription, which hears of the plan if
-- it goes on.
ALTER TABLE order_terms ADD COLUMN own INTEGER NOT NULL DEFAULT 0;
