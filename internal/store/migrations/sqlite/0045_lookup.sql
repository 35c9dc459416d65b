-- +goose Up
-- For searches: orders by the e-mail address of the bill, and deliveries of a lane by state,
-- the latest first.
CREATE INDEX orders_billing_email ON orders (billing_email_key) WHERE billing_email_key IS NOT NULL;
CREATE INDEX deliveries_listed ON deliveries (lane, state, seq);
