-- +goose Up
-- How many products there are of each category, so that a list need not count
-- them to tell its pages and the categories there are. Kept by triggers: whoever
-- writes products keeps it true.
CREATE TABLE product_counts (
    published INTEGER NOT NULL,
    category  TEXT    NOT NULL,
    products  INTEGER NOT NULL,
    PRIMARY KEY (published, category)
) STRICT, WITHOUT ROWID;

INSERT INTO product_counts (published, category, products)
SELECT published, category, count(*) FROM products GROUP BY published, category;

-- +goose StatementBegin
CREATE TRIGGER products_count_insert AFTER INSERT ON products
BEGIN
    INSERT INTO product_counts (published, category, products) VALUES (NEW.published, NEW.category, 1)
    ON CONFLICT (published, category) DO UPDATE SET products = products + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER products_count_delete AFTER DELETE ON products
BEGIN
    UPDATE product_counts SET products = products - 1 WHERE published = OLD.published AND category = OLD.category;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER products_count_update AFTER UPDATE OF published, category ON products
WHEN OLD.published <> NEW.published OR OLD.category <> NEW.category
BEGIN
    UPDATE product_counts SET products = products - 1 WHERE published = OLD.published AND category = OLD.category;
    INSERT INTO product_counts (published, category, products) VALUES (NEW.published, NEW.category, 1)
    ON CONFLICT (published, category) DO UPDATE SET products = products + 1;
END;
-- +goose StatementEnd

CREATE INDEX products_trending ON products (published, trending, featured DESC, position, download_count DESC, id);
