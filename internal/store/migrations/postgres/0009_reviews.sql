-- +goose Up
-- What is shown, rating and review_count, is made of what the catalogue says
-- (rating_base, review_base) and the reviews that are not hidden: the sum of
-- their stars and how many they are. All of it changes in the transaction of the
-- review.
ALTER TABLE products ADD COLUMN rating_base DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE products ADD COLUMN review_base BIGINT NOT NULL DEFAULT 0;
ALTER TABLE products ADD COLUMN star_sum    BIGINT NOT NULL DEFAULT 0;
ALTER TABLE products ADD COLUMN star_count  BIGINT NOT NULL DEFAULT 0;
UPDATE products SET rating_base = rating, review_base = review_count;

-- Not deleted with its user: the product's sums would no longer be true. user_id
-- has the collation of users.id, without which joining them uses no index.
CREATE TABLE reviews (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    product_id    TEXT COLLATE "C" NOT NULL REFERENCES products (id),
    user_id       TEXT NOT NULL REFERENCES users (id),
    rating        BIGINT NOT NULL CHECK (rating BETWEEN 1 AND 5),
    title         TEXT NOT NULL, -- '' if there is none; the text likewise
    text          TEXT NOT NULL,
    hidden        BOOLEAN NOT NULL,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL,
    UNIQUE (product_id, user_id)
);

CREATE INDEX reviews_product ON reviews (product_id, hidden, created_at_ms DESC, id);
CREATE INDEX reviews_newest  ON reviews (created_at_ms DESC, id);
