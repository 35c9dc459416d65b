-- +goose Up
-- The licenses of packages that came from markets of other stoas: one for each package that is not free. lease is what
-- the license client keeps. It is good from leased_at_ms to lease_until_ms, then in grace to grace_until_ms; term_ends_ms
-- is the end of the license itself. last_seen_ms is the latest time known to have passed, due_ms that of the next check.
-- state is what stoa acted upon last. installed: the package was seen installed since; seated: the license has a seat for
-- this stoa; mailed: what administrators were told of the present grace.
CREATE TABLE package_licenses (
    id             TEXT PRIMARY KEY,
    kind           TEXT NOT NULL,
    slug           TEXT NOT NULL,
    market         TEXT NOT NULL,
    product        TEXT NOT NULL,
    key_sealed     TEXT NOT NULL,
    key_tail       TEXT NOT NULL,
    instance       TEXT NOT NULL,
    lease          TEXT NOT NULL,
    state          TEXT NOT NULL,
    reason         TEXT NOT NULL DEFAULT '',
    tier           TEXT NOT NULL DEFAULT '',
    trial          INTEGER NOT NULL DEFAULT 0,
    features       TEXT NOT NULL DEFAULT '[]',
    term_ends_ms   INTEGER,
    leased_at_ms   INTEGER NOT NULL,
    lease_until_ms INTEGER NOT NULL,
    grace_until_ms INTEGER NOT NULL,
    checked_at_ms  INTEGER,
    last_seen_ms   INTEGER NOT NULL,
    due_ms         INTEGER NOT NULL,
    mailed         TEXT NOT NULL DEFAULT '',
    installed      INTEGER NOT NULL DEFAULT 0,
    seated         INTEGER NOT NULL DEFAULT 1,
    revision       INTEGER NOT NULL DEFAULT 1,
    UNIQUE (kind, slug)
) STRICT;

-- Seats that are to be given back, until until_ms. While trying_until_ms has not passed, somebody is asking the market.
CREATE TABLE license_releases (
    id              TEXT PRIMARY KEY,
    market          TEXT NOT NULL,
    product         TEXT NOT NULL,
    instance        TEXT NOT NULL,
    key_sealed      TEXT NOT NULL,
    due_ms          INTEGER NOT NULL,
    until_ms        INTEGER NOT NULL,
    trying_until_ms INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Licenses are a part of what the gateway keeps in memory, and so is which bundle a package belongs to.
-- +goose StatementBegin
CREATE TRIGGER package_licenses_added AFTER INSERT ON package_licenses
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER package_licenses_changed AFTER UPDATE ON package_licenses
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER package_licenses_removed AFTER DELETE ON package_licenses
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER bundle_items_added AFTER INSERT ON bundle_items
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER bundle_items_changed AFTER UPDATE ON bundle_items
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER bundle_items_removed AFTER DELETE ON bundle_items
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
