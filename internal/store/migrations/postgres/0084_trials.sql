-- +goose Up
-- Trials: licenses that end after some days, and may be bought.
--
-- once_keys: the scope of kind 'trial' is a product, its customer_key that of a customer, its order_id the order of the
-- trial; the customer_key of kind 'trial-host' is a host, its order_id the license that was activated there.

-- trial_ending_ms and trial_ended_ms are the ends that mails were sent about.
ALTER TABLE licenses ADD COLUMN trial BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE licenses ADD COLUMN trial_ending_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE licenses ADD COLUMN trial_ended_ms BIGINT NOT NULL DEFAULT 0;
CREATE INDEX licenses_trials ON licenses (expires_at_ms) WHERE trial AND revoked_at_ms IS NULL;

-- A license may have several orders now. trial says that an order is one of a trial, follows that another order issued its
-- license.
ALTER TABLE orders DROP CONSTRAINT orders_license_id_key;
ALTER TABLE orders ADD COLUMN trial BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE orders ADD COLUMN follows BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX orders_license ON orders (license_id);
CREATE INDEX orders_following ON orders (license_id) WHERE follows AND status = 'pending';

-- What the license of a follower gets once it is paid: the terms of the tier on the day of the order.
CREATE TABLE order_terms (
    order_id      TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES orders (id),
    features      TEXT NOT NULL, -- JSON
    max_instances BIGINT NOT NULL
);
