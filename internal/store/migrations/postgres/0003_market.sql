-- +goose Up
-- What the product list filters, sorts and shows has columns; the rest of a
-- product's page is one JSON document. price_rank, name_sort and search_text are
-- worked out by the program, so that both engines sort and search alike; COLLATE
-- "C" is the order of SQLite.
CREATE TABLE products (
    id                TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    slug              TEXT COLLATE "C" NOT NULL UNIQUE,
    name              TEXT NOT NULL,
    name_sort         TEXT COLLATE "C" NOT NULL,
    search_text       TEXT NOT NULL,
    description       TEXT NOT NULL,
    short_description TEXT NOT NULL,
    icon              TEXT NOT NULL,
    category          TEXT COLLATE "C" NOT NULL,
    screenshots       TEXT NOT NULL, -- JSON
    highlights        TEXT NOT NULL, -- JSON
    pricing_type      TEXT NOT NULL,
    price_minor       BIGINT NOT NULL,
    price_currency    TEXT NOT NULL,
    price_rank        BIGINT NOT NULL,
    rating            DOUBLE PRECISION NOT NULL,
    review_count      BIGINT NOT NULL,
    download_base     BIGINT NOT NULL,
    download_count    BIGINT NOT NULL,
    featured          BOOLEAN NOT NULL,
    trending          BOOLEAN NOT NULL,
    published         BOOLEAN NOT NULL,
    detail            TEXT NOT NULL, -- JSON
    created_at_ms     BIGINT NOT NULL,
    updated_at_ms     BIGINT NOT NULL
);

CREATE INDEX products_featured  ON products (published, featured DESC, download_count DESC, id);
CREATE INDEX products_newest    ON products (published, created_at_ms DESC, id);
CREATE INDEX products_rating    ON products (published, rating DESC, review_count DESC, id);
CREATE INDEX products_downloads ON products (published, download_count DESC, id);
CREATE INDEX products_price     ON products (published, price_rank, id);
CREATE INDEX products_name      ON products (published, name_sort, id);
CREATE INDEX products_category  ON products (published, category, featured DESC, download_count DESC, id);

-- The key itself is not here: key_hash is keyed, key_sealed encrypted.
CREATE TABLE licenses (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    product_id    TEXT COLLATE "C" NOT NULL REFERENCES products (id),
    tier_id       TEXT COLLATE "C" NOT NULL,
    user_id       TEXT COLLATE "C" NOT NULL, -- or 'anonymous'
    key_hash      TEXT COLLATE "C" NOT NULL UNIQUE,
    key_sealed    TEXT NOT NULL,
    type          TEXT NOT NULL,
    features      TEXT NOT NULL, -- JSON
    max_instances BIGINT NOT NULL,
    paid          BOOLEAN NOT NULL,
    expires_at_ms BIGINT,
    revoked_at_ms BIGINT,
    created_at_ms BIGINT NOT NULL
);

CREATE INDEX licenses_product ON licenses (product_id);
CREATE INDEX licenses_user    ON licenses (user_id, created_at_ms DESC, id);

CREATE TABLE license_instances (
    license_id      TEXT COLLATE "C" NOT NULL REFERENCES licenses (id),
    instance_id     TEXT COLLATE "C" NOT NULL,
    activated_at_ms BIGINT NOT NULL,
    PRIMARY KEY (license_id, instance_id)
);

CREATE TABLE orders (
    id             TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    product_id     TEXT COLLATE "C" NOT NULL REFERENCES products (id),
    tier_id        TEXT COLLATE "C" NOT NULL,
    user_id        TEXT COLLATE "C" NOT NULL, -- or 'anonymous'
    payment_method TEXT NOT NULL,
    billing_info   TEXT,             -- JSON
    amount_minor   BIGINT NOT NULL,
    currency       TEXT NOT NULL,
    status         TEXT NOT NULL,
    license_id     TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES licenses (id),
    created_at_ms  BIGINT NOT NULL
);

CREATE INDEX orders_product ON orders (product_id);
CREATE INDEX orders_user    ON orders (user_id, created_at_ms DESC, id);
