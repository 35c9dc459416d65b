-- +goose Up
-- What the product list filters, sorts and shows has columns; the rest of a
-- product's page is one JSON document. price_rank, name_sort and search_text are
-- worked out by the program, so that both engines sort and search alike.
CREATE TABLE products (
    id                TEXT    NOT NULL PRIMARY KEY,
    slug              TEXT    NOT NULL UNIQUE,
    name              TEXT    NOT NULL,
    name_sort         TEXT    NOT NULL,
    search_text       TEXT    NOT NULL,
    description       TEXT    NOT NULL,
    short_description TEXT    NOT NULL,
    icon              TEXT    NOT NULL,
    category          TEXT    NOT NULL,
    screenshots       TEXT    NOT NULL, -- JSON
    highlights        TEXT    NOT NULL, -- JSON
    pricing_type      TEXT    NOT NULL,
    price_minor       INTEGER NOT NULL,
    price_currency    TEXT    NOT NULL,
    price_rank        INTEGER NOT NULL,
    rating            REAL    NOT NULL,
    review_count      INTEGER NOT NULL,
    download_base     INTEGER NOT NULL,
    download_count    INTEGER NOT NULL,
    featured          INTEGER NOT NULL,
    trending          INTEGER NOT NULL,
    published         INTEGER NOT NULL,
    detail            TEXT    NOT NULL, -- JSON
    created_at_ms     INTEGER NOT NULL,
    updated_at_ms     INTEGER NOT NULL
) STRICT;

CREATE INDEX products_featured  ON products (published, featured DESC, download_count DESC, id);
CREATE INDEX products_newest    ON products (published, created_at_ms DESC, id);
CREATE INDEX products_rating    ON products (published, rating DESC, review_count DESC, id);
CREATE INDEX products_downloads ON products (published, download_count DESC, id);
CREATE INDEX products_price     ON products (published, price_rank, id);
CREATE INDEX products_name      ON products (published, name_sort, id);
CREATE INDEX products_category  ON products (published, category, featured DESC, download_count DESC, id);

-- The key itself is not here: key_hash is keyed, key_sealed encrypted.
CREATE TABLE licenses (
    id            TEXT    NOT NULL PRIMARY KEY,
    product_id    TEXT    NOT NULL REFERENCES products (id),
    tier_id       TEXT    NOT NULL,
    user_id       TEXT    NOT NULL, -- or 'anonymous'
    key_hash      TEXT    NOT NULL UNIQUE,
    key_sealed    TEXT    NOT NULL,
    type          TEXT    NOT NULL,
    features      TEXT    NOT NULL, -- JSON
    max_instances INTEGER NOT NULL,
    paid          INTEGER NOT NULL,
    expires_at_ms INTEGER,
    revoked_at_ms INTEGER,
    created_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX licenses_product ON licenses (product_id);
CREATE INDEX licenses_user    ON licenses (user_id, created_at_ms DESC, id);

CREATE TABLE license_instances (
    license_id      TEXT    NOT NULL REFERENCES licenses (id),
    instance_id     TEXT    NOT NULL,
    activated_at_ms INTEGER NOT NULL,
    PRIMARY KEY (license_id, instance_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE orders (
    id             TEXT    NOT NULL PRIMARY KEY,
    product_id     TEXT    NOT NULL REFERENCES products (id),
    tier_id        TEXT    NOT NULL,
    user_id        TEXT    NOT NULL, -- or 'anonymous'
    payment_method TEXT    NOT NULL,
    billing_info   TEXT,             -- JSON
    amount_minor   INTEGER NOT NULL,
    currency       TEXT    NOT NULL,
    status         TEXT    NOT NULL,
    license_id     TEXT    NOT NULL UNIQUE REFERENCES licenses (id),
    created_at_ms  INTEGER NOT NULL
) STRICT;

CREATE INDEX orders_product ON orders (product_id);
CREATE INDEX orders_user    ON orders (user_id, created_at_ms DESC, id);
