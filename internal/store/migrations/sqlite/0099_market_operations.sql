-- +goose Up
-- Which market of another stoa, and which of its products, the archive of a package came from. A version that was
-- uploaded has no row, nor has one of the stoa's own market.
CREATE TABLE package_origins (
    kind         TEXT NOT NULL,
    slug         TEXT NOT NULL,
    zip_hash     TEXT NOT NULL,
    market_id    TEXT NOT NULL REFERENCES markets (id) ON DELETE CASCADE,
    product      TEXT NOT NULL,
    product_name TEXT NOT NULL,
    PRIMARY KEY (kind, slug, zip_hash)
) STRICT;
CREATE INDEX package_origins_market ON package_origins (market_id);

-- What is bought, tried or installed from markets of other stoas, step by step. sealed has the license key, the secret
-- of the handoff and the buyer's address. due_ms is when it goes on, NULL once it is over; lease is who carries it on.
CREATE TABLE market_operations (
    id            TEXT PRIMARY KEY,
    kind          TEXT NOT NULL,
    market_id     TEXT NOT NULL,
    product       TEXT NOT NULL,
    product_name  TEXT NOT NULL,
    tier          TEXT NOT NULL,
    package_kind  TEXT NOT NULL,
    package_slug  TEXT NOT NULL,
    version       TEXT NOT NULL,
    grants        TEXT NOT NULL,
    actor         TEXT NOT NULL,
    paid          INTEGER NOT NULL,
    handoff_id    TEXT NOT NULL,
    checkout_url  TEXT NOT NULL,
    expires_at_ms INTEGER,
    sealed        TEXT NOT NULL,
    state         TEXT NOT NULL,
    steps         TEXT NOT NULL,
    failure       TEXT NOT NULL DEFAULT '',
    attempts      INTEGER NOT NULL DEFAULT 0,
    lease         TEXT NOT NULL DEFAULT '',
    due_ms        INTEGER,
    created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX market_operations_due ON market_operations (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX market_operations_created ON market_operations (created_at_ms, id);
