-- +goose Up
-- Addresses of operators that get events. Secrets are encrypted with the master key.
CREATE TABLE webhooks (
    id                TEXT COLLATE "C" PRIMARY KEY,
    url               TEXT NOT NULL,
    events_json       TEXT NOT NULL,
    enabled           BOOLEAN NOT NULL,
    disabled_reason   TEXT NOT NULL,
    failing_since_ms  BIGINT,
    current_sealed    TEXT NOT NULL,
    previous_sealed   TEXT NOT NULL,
    previous_until_ms BIGINT,
    created_at_ms     BIGINT NOT NULL,
    updated_at_ms     BIGINT NOT NULL
);
