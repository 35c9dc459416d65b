-- +goose Up
-- When the subscription of an order that is over was ended at its provider. Those
-- of before are ended once more: a refund in the provider's dashboard left them
-- running.
ALTER TABLE orders ADD COLUMN subscription_ended_at_ms BIGINT;
CREATE INDEX orders_end_due ON orders (id)
    WHERE payment_subscription <> '' AND subscription_ended_at_ms IS NULL AND (cancelled_at_ms IS NOT NULL OR refunded_at_ms IS NOT NULL);
