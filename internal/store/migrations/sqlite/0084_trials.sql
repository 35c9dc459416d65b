-- +goose Up
-- Trials: licenses that end after some days, and may be bought.
--
-- once_keys: the scope of kind 'trial' is a product, its customer_key that of a customer, its order_id the order of the
-- trial; the customer_key of kind 'trial-host' is a host, its order_id the license that was activated there.

-- trial_ending_ms and trial_ended_ms are the ends that mails were sent about.
ALTER TABLE licenses ADD COLUMN trial INTEGER NOT NULL DEFAULT 0;
ALTER TABLE licenses ADD COLUMN trial_ending_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE licenses ADD COLUMN trial_ended_ms INTEGER NOT NULL DEFAULT 0;
CREATE INDEX licenses_trials ON licenses (expires_at_ms) WHERE trial AND revoked_at_ms IS NULL;

-- A license may have several orders now: the table of orders is made again without that constraint, and with it those that
-- refer to it. trial says that an order is one of a trial, follows that another order issued its license.
CREATE TABLE orders_kept (
    id                       TEXT    NOT NULL PRIMARY KEY,
    product_id               TEXT    NOT NULL REFERENCES products (id),
    tier_id                  TEXT    NOT NULL,
    user_id                  TEXT    NOT NULL, -- or 'anonymous'
    payment_method           TEXT    NOT NULL,
    billing_info             TEXT,             -- JSON
    amount_minor             INTEGER NOT NULL,
    currency                 TEXT    NOT NULL,
    status                   TEXT    NOT NULL,
    license_id               TEXT    NOT NULL REFERENCES licenses (id),
    created_at_ms            INTEGER NOT NULL,
    billing_period           TEXT    NOT NULL DEFAULT '',
    provider                 TEXT    NOT NULL DEFAULT '',
    payment_url              TEXT    NOT NULL DEFAULT '',
    payment_session          TEXT    NOT NULL DEFAULT '',
    payment_id               TEXT    NOT NULL DEFAULT '',
    payment_invoice          TEXT    NOT NULL DEFAULT '',
    payment_subscription     TEXT    NOT NULL DEFAULT '',
    paid_at_ms               INTEGER,
    refunded_at_ms           INTEGER,
    cancelled_at_ms          INTEGER,
    billing_email_key        TEXT,
    sweep_tries              INTEGER NOT NULL DEFAULT 0,
    sweep_at_ms              INTEGER,
    subscription_ended_at_ms INTEGER,
    partly_refunded_minor    INTEGER NOT NULL DEFAULT 0,
    demo                     INTEGER NOT NULL DEFAULT 0,
    subscription_ends        INTEGER NOT NULL DEFAULT 0,
    renewal_told_ms          INTEGER,
    billing_name_key         TEXT,
    billing_company_key      TEXT,
    discount_id              TEXT    NOT NULL DEFAULT '',
    discount_code            TEXT    NOT NULL DEFAULT '',
    discount_minor           INTEGER NOT NULL DEFAULT 0,
    discount_duration        TEXT    NOT NULL DEFAULT '',
    trial                    INTEGER NOT NULL DEFAULT 0,
    follows                  INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO orders_kept (id, product_id, tier_id, user_id, payment_method, billing_info, amount_minor, currency, status, license_id, created_at_ms,
    billing_period, provider, payment_url, payment_session, payment_id, payment_invoice, payment_subscription, paid_at_ms,
    refunded_at_ms, cancelled_at_ms, billing_email_key, sweep_tries, sweep_at_ms, subscription_ended_at_ms,
    partly_refunded_minor, demo, subscription_ends, renewal_told_ms, billing_name_key, billing_company_key,
    discount_id, discount_code, discount_minor, discount_duration)
SELECT id, product_id, tier_id, user_id, payment_method, billing_info, amount_minor, currency, status, license_id, created_at_ms,
    billing_period, provider, payment_url, payment_session, payment_id, payment_invoice, payment_subscription, paid_at_ms,
    refunded_at_ms, cancelled_at_ms, billing_email_key, sweep_tries, sweep_at_ms, subscription_ended_at_ms,
    partly_refunded_minor, demo, subscription_ends, renewal_told_ms, billing_name_key, billing_company_key,
    discount_id, discount_code, discount_minor, discount_duration FROM orders;
CREATE TABLE payment_events_kept (
    provider TEXT    NOT NULL,
    id       TEXT    NOT NULL,
    type     TEXT    NOT NULL,
    order_id TEXT    NOT NULL REFERENCES orders_kept (id),
    at_ms    INTEGER NOT NULL,
    PRIMARY KEY (provider, id)
) STRICT, WITHOUT ROWID;
INSERT INTO payment_events_kept (provider, id, type, order_id, at_ms) SELECT provider, id, type, order_id, at_ms FROM payment_events;
CREATE TABLE receipts_kept (
    order_id       TEXT    NOT NULL PRIMARY KEY REFERENCES orders_kept (id),
    state          TEXT NOT NULL, -- waiting, sent, failed or dropped
    attempts       INTEGER NOT NULL,
    lease          TEXT NOT NULL,
    due_ms         INTEGER,
    created_at_ms  INTEGER NOT NULL,
    finished_at_ms INTEGER
) STRICT;
INSERT INTO receipts_kept (order_id, state, attempts, lease, due_ms, created_at_ms, finished_at_ms)
SELECT order_id, state, attempts, lease, due_ms, created_at_ms, finished_at_ms FROM receipts;
DROP TABLE payment_events;
DROP TABLE receipts;
DROP TABLE orders;
-- The references follow the name.
ALTER TABLE orders_kept RENAME TO orders;
ALTER TABLE payment_events_kept RENAME TO payment_events;
ALTER TABLE receipts_kept RENAME TO receipts;
CREATE INDEX orders_user    ON orders (user_id, created_at_ms DESC, id);
CREATE INDEX orders_created ON orders (created_at_ms DESC, id);
CREATE INDEX orders_status ON orders (status, created_at_ms DESC, id);
CREATE INDEX orders_product ON orders (product_id, created_at_ms DESC, id);
CREATE INDEX orders_payment ON orders (payment_id) WHERE payment_id <> '';
CREATE INDEX orders_subscription ON orders (payment_subscription) WHERE payment_subscription <> '';
CREATE INDEX orders_refund_due ON orders (id) WHERE cancelled_at_ms IS NOT NULL AND paid_at_ms IS NOT NULL AND refunded_at_ms IS NULL;
CREATE INDEX orders_unclaimed ON orders (billing_email_key) WHERE user_id = 'anonymous';
CREATE INDEX orders_end_due ON orders (id)
    WHERE payment_subscription <> '' AND subscription_ended_at_ms IS NULL AND (cancelled_at_ms IS NOT NULL OR refunded_at_ms IS NOT NULL);
CREATE INDEX orders_paid ON orders (paid_at_ms, currency, amount_minor, cancelled_at_ms) WHERE cancelled_at_ms IS NULL;
CREATE INDEX orders_billing_email ON orders (billing_email_key) WHERE billing_email_key IS NOT NULL;
CREATE INDEX orders_demo ON orders (paid_at_ms) WHERE demo;
CREATE INDEX orders_billing_name ON orders (billing_name_key) WHERE billing_name_key IS NOT NULL;
CREATE INDEX orders_billing_company ON orders (billing_company_key) WHERE billing_company_key IS NOT NULL;
CREATE INDEX orders_left ON orders (created_at_ms) WHERE user_id = 'deleted' AND billing_info IS NOT NULL;
CREATE INDEX orders_left_running ON orders (user_id, id)
    WHERE user_id = 'deleted' AND payment_subscription <> '' AND subscription_ended_at_ms IS NULL;
CREATE INDEX receipts_due ON receipts (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX receipts_failed ON receipts (finished_at_ms) WHERE state = 'failed';
CREATE INDEX receipts_tried ON receipts (created_at_ms) WHERE state = 'waiting' AND attempts > 0;
CREATE INDEX orders_license ON orders (license_id);
CREATE INDEX orders_following ON orders (license_id) WHERE follows AND status = 'pending';

-- What the license of a follower gets once it is paid: the terms of the tier on the day of the order.
CREATE TABLE order_terms (
    order_id      TEXT NOT NULL PRIMARY KEY REFERENCES orders (id),
    features      TEXT NOT NULL, -- JSON
    max_instances INTEGER NOT NULL
) STRICT;
