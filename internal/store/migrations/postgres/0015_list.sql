-- +goose Up
-- How many products there are of each category, so that a list need not count
-- them to tell its pages and the categories there are. Kept by triggers: whoever
-- writes products keeps it true.
CREATE TABLE product_counts (
    published BOOLEAN NOT NULL,
    category  TEXT COLLATE "C" NOT NULL,
    products  BIGINT NOT NULL,
    PRIMARY KEY (published, category)
);

INSERT INTO product_counts (published, category, products)
SELECT published, category, count(*) FROM products GROUP BY published, category;

-- +goose StatementBegin
CREATE FUNCTION products_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Those who write products come one at a time (Catalogue.InTx): two that count
    -- categories in different orders would wait for each other.
    IF TG_OP <> 'INSERT' THEN
        UPDATE product_counts SET products = products - 1 WHERE published = OLD.published AND category = OLD.category;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO product_counts AS c (published, category, products) VALUES (NEW.published, NEW.category, 1)
        ON CONFLICT (published, category) DO UPDATE SET products = c.products + 1;
    END IF;
    RETURN NULL;
END;
$$;
-- +goose StatementEnd
CREATE TRIGGER products_count_change AFTER INSERT OR DELETE ON products
    FOR EACH ROW EXECUTE FUNCTION products_count();
CREATE TRIGGER products_count_update AFTER UPDATE OF published, category ON products
    FOR EACH ROW WHEN (OLD.published <> NEW.published OR OLD.category <> NEW.category) EXECUTE FUNCTION products_count();

CREATE INDEX products_trending ON products (published, trending, featured DESC, position, download_count DESC, id);
