-- +goose Up
-- How long a license goes on after its term because a payment provider renews it. Licenses
-- whose subscription runs get the default of a day now, and what is configured with the
-- next paid period.
ALTER TABLE licenses ADD COLUMN leeway_ms BIGINT NOT NULL DEFAULT 0;
UPDATE licenses SET leeway_ms = 86400000
WHERE expires_at_ms > CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT) AND id IN (
    SELECT license_id FROM orders
    WHERE status = 'paid' AND payment_subscription <> '' AND subscription_ended_at_ms IS NULL);
