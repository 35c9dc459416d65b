-- +goose Up
-- The domain that a development instance is a staging address of, or nothing: it
-- is counted per domain, and goes when the domain does.
ALTER TABLE license_instances ADD COLUMN staging_of TEXT NOT NULL DEFAULT '';
CREATE INDEX license_instances_staging ON license_instances (license_id, staging_of) WHERE staging_of <> '';
