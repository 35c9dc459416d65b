-- +goose Up
-- Links in receipts of guests, which make an account with their orders. The token is not
-- kept, only its hash. email is the address that the link was mailed to, email_key how it
-- is compared.
CREATE TABLE order_links (
    token_hash    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    email_key     TEXT COLLATE "C" NOT NULL,
    email         TEXT COLLATE "C" NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE INDEX order_links_email ON order_links (email_key);
CREATE INDEX order_links_age ON order_links (created_at_ms);
