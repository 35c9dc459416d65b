-- +goose Up
-- The last group of a license's key, by which administrators find it. NULL until
-- stoa, which alone can read the sealed key, has filled it in.
ALTER TABLE licenses ADD COLUMN key_tail TEXT;
CREATE INDEX licenses_key_tail ON licenses (key_tail);
