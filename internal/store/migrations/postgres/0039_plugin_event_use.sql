-- +goose Up
-- How much of its daily allowance of events each installation has used up. From
-- spent_until_ms on, it has all of it; a day earlier, nothing is left.
CREATE TABLE plugin_event_use (
    installation_id TEXT COLLATE "C" PRIMARY KEY REFERENCES plugin_instances (id) ON DELETE CASCADE,
    spent_until_ms  BIGINT NOT NULL
);
