-- +goose Up
-- Name and company of billing_info as they are searched for (text.Fold); NULL if there is none. Older
-- orders get the form that ASCII names have.
ALTER TABLE orders ADD COLUMN billing_name_key TEXT;
ALTER TABLE orders ADD COLUMN billing_company_key TEXT;
UPDATE orders SET billing_name_key = nullif(lower(json_extract(billing_info, '$.name')), ''),
    billing_company_key = nullif(lower(json_extract(billing_info, '$.company')), '')
WHERE billing_info IS NOT NULL;
CREATE INDEX orders_billing_name ON orders (billing_name_key) WHERE billing_name_key IS NOT NULL;
CREATE INDEX orders_billing_company ON orders (billing_company_key) WHERE billing_company_key IS NOT NULL;
