-- +goose Up
-- Whether stoa computed what a change at once costs, although a provider has the subscription, which is over with it.
ALTER TABLE order_terms ADD COLUMN own INTEGER NOT NULL DEFAULT 0;
