-- +goose Up
-- The generation of what the shop's pages show. Every transaction that changes it raises a
-- number, whoever wrote it. A process that has read the numbers may use the pages that it
-- rendered after that until one of them is another.
--
-- Part 0 is for everything but the number of downloads, which each purchase raises. The other
-- parts are for that: pages show that of one product at most, but it orders lists. With
-- SQLite one of them is used; with PostgreSQL several, so that purchases do not wait for one
-- another.
CREATE TABLE shop_generation (
    part   INTEGER PRIMARY KEY CHECK (part BETWEEN 0 AND 16),
    number INTEGER NOT NULL
) STRICT;
INSERT INTO shop_generation (part, number) VALUES (0, 1), (1, 1);

-- +goose StatementBegin
CREATE TRIGGER products_added_to_pages AFTER INSERT ON products
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER products_removed_from_pages AFTER DELETE ON products
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd
-- A purchase raises the number of downloads alone.
-- +goose StatementBegin
CREATE TRIGGER products_changed_on_pages AFTER UPDATE ON products
WHEN OLD.download_count = NEW.download_count OR OLD.version <> NEW.version
    OR OLD.rating <> NEW.rating OR OLD.review_count <> NEW.review_count
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER products_downloaded AFTER UPDATE OF download_count ON products
WHEN OLD.download_count <> NEW.download_count
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 1; END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER reviews_added_to_pages AFTER INSERT ON reviews
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER reviews_changed_on_pages AFTER UPDATE ON reviews
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER reviews_removed_from_pages AFTER DELETE ON reviews
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd
-- The name of who wrote a review.
-- +goose StatementBegin
CREATE TRIGGER users_renamed_on_pages AFTER UPDATE OF username ON users WHEN OLD.username <> NEW.username
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER product_packages_added_to_pages AFTER INSERT ON product_packages
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER product_packages_changed_on_pages AFTER UPDATE ON product_packages
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER product_packages_removed_from_pages AFTER DELETE ON product_packages
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER shop_settings_added_to_pages AFTER INSERT ON shop_settings
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER shop_settings_changed_on_pages AFTER UPDATE ON shop_settings
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd
