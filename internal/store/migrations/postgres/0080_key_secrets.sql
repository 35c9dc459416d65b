-- +goose Up
-- When the present secret was made; 0: with the key.
ALTER TABLE api_keys ADD COLUMN renewed_at_ms BIGINT NOT NULL DEFAULT 0;
