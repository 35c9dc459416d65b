-- +goose Up
-- Addresses of operators that get events. Secrets are encrypted with the master key.
CREATE TABLE webhooks (
    id                TEXT PRIMARY KEY,
    url               TEXT NOT NULL,
    events_json       TEXT NOT NULL,
    enabled           INTEGER NOT NULL,
    disabled_reason   TEXT NOT NULL,
    failing_since_ms  INTEGER,
    current_sealed    TEXT NOT NULL,
    previous_sealed   TEXT NOT NULL,
    previous_until_ms INTEGER,
    created_at_ms     INTEGER NOT NULL,
    updated_at_ms     INTEGER NOT NULL
) STRICT;
