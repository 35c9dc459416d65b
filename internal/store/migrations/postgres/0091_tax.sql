-- +goose Up
-- tax_id is the buyer's, as it was given. tax_added_minor is what of tax_minor came on top of the price. NULL: not known.
ALTER TABLE payments ADD COLUMN tax_id TEXT;
ALTER TABLE payments ADD COLUMN tax_added_minor BIGINT;
