-- +goose Up
-- For searches: orders by the e-mail address of the bill, and deliveries of a lane by state,
-- the latest first. Users are found by the beginning of an address or a name, which needs the
-- order of bytes, as other keys have it.
CREATE INDEX orders_billing_email ON orders (billing_email_key) WHERE billing_email_key IS NOT NULL;
CREATE INDEX deliveries_listed ON deliveries (lane, state, seq);
ALTER TABLE users
    ALTER COLUMN email_key TYPE TEXT COLLATE "C",
    ALTER COLUMN username_key TYPE TEXT COLLATE "C";
