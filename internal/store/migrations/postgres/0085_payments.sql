-- +goose Up
-- What was paid: a row for each period. seq 1 is the payment with which the order was paid; the later periods of a
-- subscription follow in the order in which they become known. invoice and payment are the provider's references, '' if
-- it has none or none is known. refunded_minor is what was given back of minor. NULL: not known.
CREATE TABLE payments (
    order_id       TEXT COLLATE "C" NOT NULL,
    seq            INTEGER NOT NULL,
    invoice        TEXT NOT NULL DEFAULT '',
    payment        TEXT NOT NULL DEFAULT '',
    at_ms          BIGINT NOT NULL,
    minor          BIGINT NOT NULL,
    currency       TEXT NOT NULL,
    refunded_minor BIGINT NOT NULL DEFAULT 0,
    net_minor      BIGINT,
    tax_minor      BIGINT,
    total_minor    BIGINT,
    country        TEXT,
    code           TEXT,
    invoice_number TEXT,
    invoice_url    TEXT,
    invoice_pdf    TEXT,
    PRIMARY KEY (order_id, seq)
);

-- What was paid before: first payments, and the later periods that renewed a license.
INSERT INTO payments (order_id, seq, invoice, payment, at_ms, minor, currency, refunded_minor)
SELECT id, 1, payment_invoice, payment_id, paid_at_ms, amount_minor, currency,
    CASE WHEN refunded_at_ms IS NULL THEN LEAST(partly_refunded_minor, amount_minor) ELSE amount_minor END
FROM orders WHERE paid_at_ms IS NOT NULL AND amount_minor > 0;
INSERT INTO payments (order_id, seq, invoice, at_ms, minor, currency, refunded_minor)
SELECT o.id, 1 + row_number() OVER (PARTITION BY o.id ORDER BY r.at_ms, r.reference),
    substr(r.reference, length(o.provider) + 2), r.at_ms,
    o.amount_minor + CASE WHEN o.discount_duration = 'once' THEN o.discount_minor ELSE 0 END, o.currency,
    CASE WHEN o.refunded_at_ms IS NULL THEN 0
        ELSE o.amount_minor + CASE WHEN o.discount_duration = 'once' THEN o.discount_minor ELSE 0 END END
FROM license_renewals r
JOIN orders o ON o.license_id = r.license_id
WHERE o.payment_subscription <> '' AND substr(r.reference, 1, length(o.provider) + 1) = o.provider || ':';
CREATE INDEX payments_at ON payments (at_ms);

-- What was given back, of which payment, by whom: the id of a user or a service, 'provider' for its dashboard, 'stoa' for
-- what it does by itself, '' before that was kept.
CREATE TABLE refunds (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    order_id    TEXT COLLATE "C" NOT NULL,
    seq         INTEGER NOT NULL,
    minor       BIGINT NOT NULL,
    currency    TEXT NOT NULL,
    reason      TEXT NOT NULL DEFAULT '',
    by_id       TEXT NOT NULL DEFAULT '',
    at_ms       BIGINT NOT NULL,
    credit_note TEXT
);
INSERT INTO refunds (id, order_id, seq, minor, currency, at_ms)
SELECT 'before-' || p.seq || '-' || p.order_id, p.order_id, p.seq, p.refunded_minor, p.currency,
    COALESCE(o.refunded_at_ms, p.at_ms)
FROM payments p
JOIN orders o ON o.id = p.order_id
WHERE p.refunded_minor > 0;
CREATE INDEX refunds_order ON refunds (order_id, at_ms);
CREATE INDEX refunds_at ON refunds (at_ms);

-- Refunds that the provider is being asked for, one for each order. seq and minor are 0 for all that is left. The row goes
-- when the provider has answered. actor_kind and actor_id are the audit log's.
CREATE TABLE refunds_due (
    order_id   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    id         TEXT COLLATE "C" NOT NULL,
    seq        INTEGER NOT NULL,
    minor      BIGINT NOT NULL,
    reason     TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id   TEXT NOT NULL,
    at_ms      BIGINT NOT NULL
);

-- Mails about refunds, queued like receipts. minor is what was given back; whole says that the license went with it.
CREATE TABLE refund_notices (
    id             TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    order_id       TEXT COLLATE "C" NOT NULL,
    minor          BIGINT NOT NULL,
    whole          BOOLEAN NOT NULL,
    state          TEXT NOT NULL, -- waiting, sent, failed or dropped
    attempts       INTEGER NOT NULL,
    lease          TEXT NOT NULL,
    due_ms         BIGINT,
    created_at_ms  BIGINT NOT NULL,
    finished_at_ms BIGINT
);
CREATE INDEX refund_notices_due ON refund_notices (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX refund_notices_lease ON refund_notices (lease) WHERE lease <> '';
CREATE INDEX refund_notices_failed ON refund_notices (finished_at_ms) WHERE state = 'failed';
CREATE INDEX refund_notices_tried ON refund_notices (created_at_ms) WHERE state = 'waiting' AND attempts > 0;
