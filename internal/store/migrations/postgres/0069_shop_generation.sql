-- +goose Up
-- The generation of what the shop's pages show. Every transaction that changes it raises a
-- number, whoever wrote it. A process that has read the numbers may use the pages that it
-- rendered after that until one of them is another.
--
-- Part 0 is for everything but the number of downloads, which each purchase raises. The other
-- parts are for that: pages show that of one product at most, but it orders lists. There are
-- several, so that purchases of different products seldom wait for one another.
CREATE TABLE shop_generation (
    part   INTEGER PRIMARY KEY CHECK (part BETWEEN 0 AND 16),
    number BIGINT NOT NULL
);
INSERT INTO shop_generation (part, number) VALUES (0, 1), (1, 1);

-- Raises part 0 once in a transaction. The triggers are deferred to the commit: transactions
-- would otherwise wait for one another from their first change on.
-- +goose StatementBegin
CREATE FUNCTION raise_shop_generation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('stoa.shop_generation_raised_in', true) IS DISTINCT FROM txid_current()::text THEN
        PERFORM set_config('stoa.shop_generation_raised_in', txid_current()::text, true);
        UPDATE shop_generation SET number = number + 1 WHERE part = 0;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Raises the part of a product, which its id decides. The row may be missing: a backup of SQLite
-- has one of them.
-- +goose StatementBegin
CREATE FUNCTION raise_shop_downloads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO shop_generation AS g (part, number) VALUES (1 + ascii(right(NEW.id, 1)) % 16, 1)
    ON CONFLICT (part) DO UPDATE SET number = g.number + 1;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER products_kept_on_pages AFTER INSERT OR DELETE ON products
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_shop_generation();
-- A purchase raises the number of downloads alone.
CREATE CONSTRAINT TRIGGER products_changed_on_pages AFTER UPDATE ON products
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.download_count = NEW.download_count OR OLD.version <> NEW.version
        OR OLD.rating <> NEW.rating OR OLD.review_count <> NEW.review_count)
    EXECUTE FUNCTION raise_shop_generation();
CREATE CONSTRAINT TRIGGER products_downloaded AFTER UPDATE ON products
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.download_count <> NEW.download_count)
    EXECUTE FUNCTION raise_shop_downloads();
CREATE CONSTRAINT TRIGGER reviews_kept_on_pages AFTER INSERT OR UPDATE OR DELETE ON reviews
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_shop_generation();
-- The name of who wrote a review.
CREATE CONSTRAINT TRIGGER users_renamed_on_pages AFTER UPDATE ON users
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.username <> NEW.username)
    EXECUTE FUNCTION raise_shop_generation();
CREATE CONSTRAINT TRIGGER product_packages_kept_on_pages AFTER INSERT OR UPDATE OR DELETE ON product_packages
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_shop_generation();
CREATE CONSTRAINT TRIGGER shop_settings_kept_on_pages AFTER INSERT OR UPDATE ON shop_settings
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_shop_generation();
