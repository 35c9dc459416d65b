-- +goose Up
-- Facts about this installation that all replicas share, such as its platform id.
CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
