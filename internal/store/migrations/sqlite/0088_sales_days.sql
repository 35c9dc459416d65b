-- +goose Up
UPDATE payments SET code = (SELECT o.discount_code FROM orders o
    WHERE o.id = payments.order_id AND o.discount_code <> '' AND (payments.seq = 1 OR o.discount_duration = 'forever'));

-- What was sold, by day (UTC, since 1970): payments and refunds, added up as they are written. test says that the provider
-- took no money. lane is 0 to 3, by order: several orders at once write to several rows. '' is an unknown country, and no
-- code. tax_minor is less that in refunds.
CREATE TABLE sales_days (
    day            INTEGER NOT NULL,
    product_id     TEXT    NOT NULL,
    tier_id        TEXT    NOT NULL,
    country        TEXT    NOT NULL,
    code           TEXT    NOT NULL,
    currency       TEXT    NOT NULL,
    test           INTEGER NOT NULL,
    lane           INTEGER NOT NULL,
    orders         INTEGER NOT NULL,
    gross_minor    INTEGER NOT NULL,
    discount_minor INTEGER NOT NULL,
    refunds_minor  INTEGER NOT NULL,
    tax_minor      INTEGER NOT NULL,
    PRIMARY KEY (day, product_id, tier_id, country, code, currency, test, lane)
) STRICT, WITHOUT ROWID;
INSERT INTO sales_days (day, product_id, tier_id, country, code, currency, test, lane, orders, gross_minor, discount_minor,
    refunds_minor, tax_minor)
SELECT s.at_ms / 86400000, o.product_id, o.tier_id, s.country, s.code, s.currency, o.provider = 'test', 0, sum(s.orders),
    sum(s.gross), sum(s.orders * o.discount_minor), sum(s.refunds), 0
FROM (
    SELECT order_id, at_ms, COALESCE(country, '') AS country, COALESCE(code, '') AS code, currency,
        CASE WHEN seq = 1 THEN 1 ELSE 0 END AS orders, minor AS gross, 0 AS refunds
    FROM payments
    UNION ALL
    SELECT r.order_id, r.at_ms, COALESCE(p.country, ''), COALESCE(p.code, ''), p.currency, 0, 0, r.minor
    FROM refunds r
    JOIN payments p ON p.order_id = r.order_id AND p.seq = r.seq
) s
JOIN orders o ON o.id = s.order_id
GROUP BY 1, 2, 3, 4, 5, 6, 7;

-- What figures ask of subscriptions and trials.
CREATE INDEX orders_recurring ON orders (license_id)
    WHERE billing_period IN ('monthly', 'yearly') AND paid_at_ms IS NOT NULL;
CREATE INDEX orders_trials ON orders (created_at_ms) WHERE trial;
