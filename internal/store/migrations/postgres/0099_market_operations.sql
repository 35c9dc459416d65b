-- +goose Up
-- Which market of another stoa, and which of its products, the archive of a package came from. A version that was
-- uploaded has no row, nor has one of the stoa's own market.
CREATE TABLE package_origins (
    kind         TEXT COLLATE "C" NOT NULL,
    slug         TEXT COLLATE "C" NOT NULL,
    zip_hash     TEXT COLLATE "C" NOT NULL,
    market_id    TEXT COLLATE "C" NOT NULL REFERENCES markets (id) ON DELETE CASCADE,
    product      TEXT COLLATE "C" NOT NULL,
    product_name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (kind, slug, zip_hash)
);
CREATE INDEX package_origins_market ON package_origins (market_id);

-- What is bought, tried or installed from markets of other stoas, step by step. sealed has the license key, the secret
-- of the handoff and the buyer's address. due_ms is when it goes on, NULL once it is over; lease is who carries it on.
CREATE TABLE market_operations (
    id            TEXT COLLATE "C" PRIMARY KEY,
    kind          TEXT COLLATE "C" NOT NULL,
    market_id     TEXT COLLATE "C" NOT NULL,
    product       TEXT COLLATE "C" NOT NULL,
    product_name  TEXT COLLATE "C" NOT NULL,
    tier          TEXT COLLATE "C" NOT NULL,
    package_kind  TEXT COLLATE "C" NOT NULL,
    package_slug  TEXT COLLATE "C" NOT NULL,
    version       TEXT COLLATE "C" NOT NULL,
    grants        TEXT COLLATE "C" NOT NULL,
    actor         TEXT COLLATE "C" NOT NULL,
    paid          BOOLEAN NOT NULL,
    handoff_id    TEXT COLLATE "C" NOT NULL,
    checkout_url  TEXT COLLATE "C" NOT NULL,
    expires_at_ms BIGINT,
    sealed        TEXT COLLATE "C" NOT NULL,
    state         TEXT COLLATE "C" NOT NULL,
    steps         TEXT COLLATE "C" NOT NULL,
    failure       TEXT COLLATE "C" NOT NULL DEFAULT '',
    attempts      BIGINT NOT NULL DEFAULT 0,
    lease         TEXT COLLATE "C" NOT NULL DEFAULT '',
    due_ms        BIGINT,
    created_at_ms BIGINT NOT NULL
);
CREATE INDEX market_operations_due ON market_operations (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX market_operations_created ON market_operations (created_at_ms, id);
