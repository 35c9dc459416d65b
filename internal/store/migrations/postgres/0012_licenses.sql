-- +goose Up
-- A subscription ends period_months * periods after anchor_ms, by the calendar.
-- instances and development_instances count the rows of license_instances and
-- change with them; churn_ms is the state of the limit on new instances. version
-- grows with every change that an administrator sees as one.
ALTER TABLE licenses ADD COLUMN period_months BIGINT NOT NULL DEFAULT 0;
ALTER TABLE licenses ADD COLUMN anchor_ms BIGINT;
ALTER TABLE licenses ADD COLUMN periods BIGINT NOT NULL DEFAULT 0;
ALTER TABLE licenses ADD COLUMN instances BIGINT NOT NULL DEFAULT 0;
ALTER TABLE licenses ADD COLUMN development_instances BIGINT NOT NULL DEFAULT 0;
ALTER TABLE licenses ADD COLUMN churn_ms BIGINT;
ALTER TABLE licenses ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE license_instances ADD COLUMN development BOOLEAN NOT NULL DEFAULT FALSE;

-- Until now a term was one month or one year from the purchase.
UPDATE licenses SET anchor_ms = created_at_ms, periods = 1,
    period_months = CASE WHEN expires_at_ms - created_at_ms > 3888000000 THEN 12 ELSE 1 END
WHERE expires_at_ms IS NOT NULL;
UPDATE licenses SET instances = (SELECT count(*) FROM license_instances i WHERE i.license_id = licenses.id);

-- What a license was renewed for, so that a payment renews it once.
CREATE TABLE license_renewals (
    license_id TEXT COLLATE "C" NOT NULL REFERENCES licenses (id),
    reference  TEXT COLLATE "C" NOT NULL,
    at_ms      BIGINT NOT NULL,
    PRIMARY KEY (license_id, reference)
);

CREATE INDEX licenses_created ON licenses (created_at_ms DESC, id);
DROP INDEX licenses_product;
CREATE INDEX licenses_product ON licenses (product_id, created_at_ms DESC, id);
