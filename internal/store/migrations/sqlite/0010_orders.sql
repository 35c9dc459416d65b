-- +goose Up
-- What happened to an order, as facts: when it was paid, refunded, cancelled.
-- status is worked out from them. provider took the payment ('' where nothing was
-- to pay); the payment_ columns are what the provider calls its parts.
ALTER TABLE orders ADD COLUMN billing_period TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN provider TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN payment_url TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN payment_session TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN payment_id TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN payment_invoice TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN payment_subscription TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN paid_at_ms INTEGER;
ALTER TABLE orders ADD COLUMN refunded_at_ms INTEGER;
ALTER TABLE orders ADD COLUMN cancelled_at_ms INTEGER;

-- Until now an order was paid when it was made.
UPDATE orders SET paid_at_ms = created_at_ms WHERE status = 'paid';

CREATE INDEX orders_created ON orders (created_at_ms DESC, id);
CREATE INDEX orders_status ON orders (status, created_at_ms DESC, id);
DROP INDEX orders_product;
CREATE INDEX orders_product ON orders (product_id, created_at_ms DESC, id);
CREATE INDEX orders_payment ON orders (payment_id) WHERE payment_id <> '';
CREATE INDEX orders_subscription ON orders (payment_subscription) WHERE payment_subscription <> '';
-- Those whose payment came after they were cancelled.
CREATE INDEX orders_refund_due ON orders (id) WHERE cancelled_at_ms IS NOT NULL AND paid_at_ms IS NOT NULL AND refunded_at_ms IS NULL;

-- What payment providers told, so that each event has its effect once.
CREATE TABLE payment_events (
    provider TEXT    NOT NULL,
    id       TEXT    NOT NULL,
    type     TEXT    NOT NULL,
    order_id TEXT    NOT NULL REFERENCES orders (id),
    at_ms    INTEGER NOT NULL,
    PRIMARY KEY (provider, id)
) STRICT, WITHOUT ROWID;
