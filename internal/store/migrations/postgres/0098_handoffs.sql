-- +goose Up
-- What other stoas want to buy here. instance is the host that gets the license key, for the secret whose SHA-256 is
-- secret_hash. license_id is the trial that is to be bought, order_id the last order; '' stands for none. claimed_at_ms
-- is when the key was first given. Rows go away two months later, so they refer to nothing.
CREATE TABLE market_handoffs (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    product_id    TEXT COLLATE "C" NOT NULL,
    tier_id       TEXT COLLATE "C" NOT NULL,
    license_id    TEXT COLLATE "C" NOT NULL DEFAULT '',
    instance      TEXT COLLATE "C" NOT NULL,
    platform_id   TEXT COLLATE "C" NOT NULL,
    return_url    TEXT COLLATE "C" NOT NULL,
    secret_hash   TEXT COLLATE "C" NOT NULL,
    order_id      TEXT COLLATE "C" NOT NULL DEFAULT '',
    created_at_ms BIGINT NOT NULL,
    claimed_at_ms BIGINT
);
CREATE INDEX market_handoffs_created ON market_handoffs (created_at_ms);
