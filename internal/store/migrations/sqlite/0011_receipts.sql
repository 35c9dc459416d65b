-- +goose Up
-- The e-mail address of billing_info as it is compared (market.EmailKey); NULL
-- if there is none. Older orders get the form that ASCII addresses have.
ALTER TABLE orders ADD COLUMN billing_email_key TEXT;
UPDATE orders SET billing_email_key = lower(trim(json_extract(billing_info, '$.email')))
WHERE json_extract(billing_info, '$.email') LIKE '%_@_%';

-- Orders that somebody may claim for an account.
CREATE INDEX orders_unclaimed ON orders (billing_email_key) WHERE user_id = 'anonymous';

-- Mails with a token that claims orders. The token is not kept, only its hash.
CREATE TABLE order_claims (
    token_hash    TEXT    NOT NULL PRIMARY KEY,
    user_id       TEXT    NOT NULL,
    email_key     TEXT    NOT NULL,
    created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX order_claims_user ON order_claims (user_id);
CREATE INDEX order_claims_age ON order_claims (created_at_ms);

-- How much mail somebody got: GCRA, until_ms being the moment from which the
-- whole allowance is there again.
CREATE TABLE mail_allowances (
    name     TEXT    NOT NULL PRIMARY KEY,
    until_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX mail_allowances_until ON mail_allowances (until_ms);

-- Receipts to be mailed: one for each order, written when it is paid. due_ms is
-- when to try (next), NULL once nothing is left to do; lease is whose turn it is.
CREATE TABLE receipts (
    order_id       TEXT    NOT NULL PRIMARY KEY REFERENCES orders (id),
    state          TEXT NOT NULL, -- waiting, sent, failed or dropped
    attempts       INTEGER NOT NULL,
    lease          TEXT NOT NULL,
    due_ms         INTEGER,
    created_at_ms  INTEGER NOT NULL,
    finished_at_ms INTEGER
) STRICT;
CREATE INDEX receipts_due ON receipts (due_ms) WHERE due_ms IS NOT NULL;
