-- +goose Up
-- Sales that stoa serve --demo made up. Subscribers are told nothing about them.
ALTER TABLE orders ADD COLUMN demo INTEGER NOT NULL DEFAULT 0;
ALTER TABLE licenses ADD COLUMN demo INTEGER NOT NULL DEFAULT 0;

-- Whether the overview shows some.
CREATE INDEX orders_demo ON orders (paid_at_ms) WHERE demo;
