-- +goose Up
-- When a published version of a package was withdrawn; NULL if it is offered. Its row stays,
-- so that the version never has other contents.
ALTER TABLE product_packages ADD COLUMN withdrawn_at_ms INTEGER;
