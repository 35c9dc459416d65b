-- +goose Up
-- Sales that stoa serve --demo made up. Subscribers are told nothing about them.
ALTER TABLE orders ADD COLUMN demo BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE licenses ADD COLUMN demo BOOLEAN NOT NULL DEFAULT FALSE;

-- Whether the overview shows some.
CREATE INDEX orders_demo ON orders (paid_at_ms) WHERE demo;
