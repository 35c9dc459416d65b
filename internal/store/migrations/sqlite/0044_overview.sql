-- +goose Up
-- For the overview of administrators: what was sold and activated lately, and what failed.
-- With all columns that its queries read, so that they touch no row of the tables.
CREATE INDEX orders_paid ON orders (paid_at_ms, currency, amount_minor, cancelled_at_ms) WHERE cancelled_at_ms IS NULL;
CREATE INDEX license_instances_activated ON license_instances (activated_at_ms, development) WHERE NOT development;
CREATE INDEX receipts_failed ON receipts (finished_at_ms) WHERE state = 'failed';
CREATE INDEX receipts_tried ON receipts (created_at_ms) WHERE state = 'waiting' AND attempts > 0;
CREATE INDEX deliveries_dead ON deliveries (lane, owner, target, created_at_ms, state) WHERE state = 'dead';
CREATE INDEX deliveries_tried ON deliveries (lane, owner, created_at_ms) WHERE state = 'waiting' AND attempts > 0;
CREATE INDEX plugin_failures_at ON plugin_failures (failed_at_ms);
