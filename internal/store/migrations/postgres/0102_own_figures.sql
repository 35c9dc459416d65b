-- +goose Up
-- Whether stoa computed what a change at once costs, although a provider has the subscription, which is over with it.
-- And the end of the term that its price is for.
ALTER TABLE order_terms ADD COLUMN own BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE order_terms ADD COLUMN priced_until_ms BIGINT;
