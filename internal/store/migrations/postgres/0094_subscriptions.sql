-- +goose Up
-- What the report on subscriptions adds up: a row for each order of a subscription that was paid. Kept by triggers: whoever
-- writes orders, licenses or payments keeps it true, also a release that does not know it.
--
-- since_ms is when a subscription began, NULL for changes and renewals, and for what cost nothing. ends_at_ms is when its
-- license ends or ended. yearly_minor is what it costs now in a year, without tax; NULL if another order of the license says
-- so, or if none does any more.
CREATE TABLE subscriptions (
    license_id   TEXT COLLATE "C" NOT NULL,
    order_id     TEXT COLLATE "C" NOT NULL,
    currency     TEXT COLLATE "C" NOT NULL,
    test         BOOLEAN NOT NULL,
    since_ms     BIGINT,
    ends_at_ms   BIGINT,
    yearly_minor DOUBLE PRECISION,
    PRIMARY KEY (license_id, order_id)
);

-- What the rows of a license are to be. Of its orders, the one that took effect last says what it costs, and the latest
-- payment with tax for any of them how much of that is tax: what is changed for the next period costs nothing.
CREATE VIEW subscriptions_of_orders AS
SELECT o.license_id, o.id AS order_id, o.currency, o.provider = 'test' AS test,
    CASE WHEN o.kind = '' AND o.amount_minor > 0 THEN o.paid_at_ms END AS since_ms,
    CASE WHEN l.expires_at_ms < l.revoked_at_ms THEN l.expires_at_ms ELSE COALESCE(l.revoked_at_ms, l.expires_at_ms) END AS ends_at_ms,
    CAST(CASE
        WHEN o.refunded_at_ms IS NOT NULL OR l.revoked_at_ms IS NOT NULL OR l.next_terms LIKE '%"' || o.id || '"%' OR EXISTS (
            SELECT 1 FROM orders n
            WHERE n.license_id = o.license_id AND n.follows AND n.kind <> '' AND n.billing_period IN ('monthly', 'yearly')
                AND n.paid_at_ms IS NOT NULL AND n.cancelled_at_ms IS NULL AND n.refunded_at_ms IS NULL
                AND l.next_terms NOT LIKE '%"' || n.id || '"%'
                AND (n.paid_at_ms > o.paid_at_ms OR n.paid_at_ms = o.paid_at_ms AND (o.kind = '' OR n.id > o.id))
        ) THEN NULL
        WHEN o.kind = 'change' THEN t.price_minor
        WHEN o.amount_minor > 0 THEN o.amount_minor + CASE WHEN o.discount_duration = 'once' THEN o.discount_minor ELSE 0 END
    END AS DOUBLE PRECISION) * CASE o.billing_period WHEN 'yearly' THEN 1 ELSE 12 END
        * COALESCE(CAST(p.minor - p.tax_minor AS DOUBLE PRECISION) / NULLIF(p.minor - COALESCE(p.tax_added_minor, 0), 0), 1) AS yearly_minor
FROM orders o
JOIN licenses l ON l.id = o.license_id
LEFT JOIN order_terms t ON t.order_id = o.id
LEFT JOIN (
    SELECT DISTINCT ON (b.license_id) b.license_id, p.minor, p.tax_minor, p.tax_added_minor
    FROM orders b
    JOIN payments p ON p.order_id = b.id
    WHERE p.tax_minor > 0 AND p.minor > p.tax_minor
    ORDER BY b.license_id, p.at_ms DESC, p.order_id, p.seq DESC
) p ON p.license_id = o.license_id
WHERE o.billing_period IN ('monthly', 'yearly') AND o.paid_at_ms IS NOT NULL AND o.cancelled_at_ms IS NULL;

-- +goose StatementBegin
CREATE FUNCTION subscriptions_keep() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed TEXT;
BEGIN
    IF TG_TABLE_NAME = 'licenses' THEN
        changed := NEW.id;
    ELSIF TG_TABLE_NAME = 'orders' THEN
        changed := NEW.license_id;
    ELSE
        SELECT o.license_id INTO changed FROM orders o WHERE o.id = NEW.order_id;
    END IF;
    -- One at a time for each license. What follows are statements of their own, so they see what others did until then.
    PERFORM 1 FROM licenses WHERE id = changed FOR NO KEY UPDATE;
    DELETE FROM subscriptions WHERE license_id = changed;
    INSERT INTO subscriptions SELECT * FROM subscriptions_of_orders WHERE license_id = changed;
    RETURN NULL;
END;
$$;
-- +goose StatementEnd
-- All triggers before what takes long, so that no transaction has a table that the next one waits for.
CREATE TRIGGER subscriptions_order AFTER INSERT ON orders
    FOR EACH ROW WHEN (NEW.billing_period IN ('monthly', 'yearly') AND NEW.paid_at_ms IS NOT NULL)
    EXECUTE FUNCTION subscriptions_keep();
CREATE TRIGGER subscriptions_order_state AFTER UPDATE OF paid_at_ms, refunded_at_ms, cancelled_at_ms, provider ON orders
    FOR EACH ROW WHEN (NEW.billing_period IN ('monthly', 'yearly') AND (OLD.paid_at_ms IS DISTINCT FROM NEW.paid_at_ms
    OR OLD.refunded_at_ms IS DISTINCT FROM NEW.refunded_at_ms
    OR OLD.cancelled_at_ms IS DISTINCT FROM NEW.cancelled_at_ms OR OLD.provider IS DISTINCT FROM NEW.provider))
    EXECUTE FUNCTION subscriptions_keep();
CREATE TRIGGER subscriptions_terms AFTER INSERT ON order_terms
    FOR EACH ROW EXECUTE FUNCTION subscriptions_keep();
CREATE TRIGGER subscriptions_payment AFTER INSERT ON payments
    FOR EACH ROW WHEN (NEW.tax_minor > 0)
    EXECUTE FUNCTION subscriptions_keep();
CREATE TRIGGER subscriptions_payment_state AFTER UPDATE OF at_ms, minor, tax_minor, tax_added_minor ON payments
    FOR EACH ROW WHEN (NEW.tax_minor > 0 OR OLD.tax_minor > 0)
    EXECUTE FUNCTION subscriptions_keep();
CREATE TRIGGER subscriptions_license AFTER UPDATE OF expires_at_ms, revoked_at_ms, next_terms ON licenses
    FOR EACH ROW WHEN (OLD.expires_at_ms IS DISTINCT FROM NEW.expires_at_ms OR OLD.revoked_at_ms IS DISTINCT FROM NEW.revoked_at_ms
    OR OLD.next_terms IS DISTINCT FROM NEW.next_terms)
    EXECUTE FUNCTION subscriptions_keep();

-- Orders that follow and were paid, by license.
CREATE INDEX orders_followed ON orders (license_id) WHERE follows AND paid_at_ms IS NOT NULL AND cancelled_at_ms IS NULL;
INSERT INTO subscriptions SELECT * FROM subscriptions_of_orders ORDER BY license_id, order_id;
