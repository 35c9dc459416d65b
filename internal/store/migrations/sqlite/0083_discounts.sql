-- +goose Up
-- Discount codes. What may be removed and is not there is NULL for times, else 0, '' or an empty list. used says that an
-- order ever used the code: uses falls when one is cancelled.
CREATE TABLE discounts (
    id                TEXT PRIMARY KEY,
    code              TEXT NOT NULL UNIQUE,
    percent           INTEGER NOT NULL,
    amount_minor      INTEGER NOT NULL,
    currency          TEXT NOT NULL,
    products_json     TEXT NOT NULL,
    tiers_json        TEXT NOT NULL,
    duration          TEXT NOT NULL,
    starts_at_ms      INTEGER,
    ends_at_ms        INTEGER,
    max_uses          INTEGER NOT NULL,
    once_per_customer INTEGER NOT NULL DEFAULT 0,
    active            INTEGER NOT NULL DEFAULT 0,
    uses              INTEGER NOT NULL DEFAULT 0,
    used              INTEGER NOT NULL DEFAULT 0,
    version           INTEGER NOT NULL,
    created_at_ms     INTEGER NOT NULL,
    updated_at_ms     INTEGER NOT NULL
) STRICT;
CREATE INDEX discounts_created ON discounts (created_at_ms, id);

-- The orders that use a code now. The row goes when the order is cancelled.
CREATE TABLE discount_uses (
    order_id    TEXT PRIMARY KEY,
    discount_id TEXT NOT NULL,
    at_ms       INTEGER NOT NULL
) STRICT;
CREATE INDEX discount_uses_discount ON discount_uses (discount_id);

-- What a customer may have once. scope is the id of a discount, for kind 'discount'; customer_key a user or the keyed
-- hash of a mailbox, and stays when its account is gone.
CREATE TABLE once_keys (
    kind         TEXT NOT NULL,
    scope        TEXT NOT NULL,
    customer_key TEXT NOT NULL,
    order_id     TEXT NOT NULL,
    at_ms        INTEGER NOT NULL,
    PRIMARY KEY (kind, scope, customer_key)
) STRICT;
CREATE INDEX once_keys_order ON once_keys (order_id);

-- The code of an order, and what it took off: amount_minor is what was to be paid.
ALTER TABLE orders ADD COLUMN discount_id TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN discount_code TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN discount_minor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN discount_duration TEXT NOT NULL DEFAULT '';
