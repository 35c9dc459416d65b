-- +goose Up
-- The licenses of packages that came from markets of other stoas: one for each package that is not free. lease is what
-- the license client keeps. It is good from leased_at_ms to lease_until_ms, then in grace to grace_until_ms; term_ends_ms
-- is the end of the license itself. last_seen_ms is the latest time known to have passed, due_ms that of the next check.
-- state is what stoa acted upon last. installed: the package was seen installed since; seated: the license has a seat for
-- this stoa; mailed: what administrators were told of the present grace.
CREATE TABLE package_licenses (
    id             TEXT COLLATE "C" PRIMARY KEY,
    kind           TEXT COLLATE "C" NOT NULL,
    slug           TEXT COLLATE "C" NOT NULL,
    market         TEXT COLLATE "C" NOT NULL,
    product        TEXT COLLATE "C" NOT NULL,
    key_sealed     TEXT NOT NULL,
    key_tail       TEXT NOT NULL,
    instance       TEXT COLLATE "C" NOT NULL,
    lease          TEXT NOT NULL,
    state          TEXT COLLATE "C" NOT NULL,
    reason         TEXT COLLATE "C" NOT NULL DEFAULT '',
    tier           TEXT NOT NULL DEFAULT '',
    trial          BOOLEAN NOT NULL DEFAULT FALSE,
    features       TEXT NOT NULL DEFAULT '[]',
    term_ends_ms   BIGINT,
    leased_at_ms   BIGINT NOT NULL,
    lease_until_ms BIGINT NOT NULL,
    grace_until_ms BIGINT NOT NULL,
    checked_at_ms  BIGINT,
    last_seen_ms   BIGINT NOT NULL,
    due_ms         BIGINT NOT NULL,
    mailed         TEXT NOT NULL DEFAULT '',
    installed      BOOLEAN NOT NULL DEFAULT FALSE,
    seated         BOOLEAN NOT NULL DEFAULT TRUE,
    revision       BIGINT NOT NULL DEFAULT 1,
    UNIQUE (kind, slug)
);

-- Seats that are to be given back, until until_ms. While trying_until_ms has not passed, somebody is asking the market.
CREATE TABLE license_releases (
    id              TEXT COLLATE "C" PRIMARY KEY,
    market          TEXT COLLATE "C" NOT NULL,
    product         TEXT COLLATE "C" NOT NULL,
    instance        TEXT COLLATE "C" NOT NULL,
    key_sealed      TEXT NOT NULL,
    due_ms          BIGINT NOT NULL,
    until_ms        BIGINT NOT NULL,
    trying_until_ms BIGINT NOT NULL DEFAULT 0
);

-- Licenses are a part of what the gateway keeps in memory, and so is which bundle a package belongs to.
CREATE CONSTRAINT TRIGGER package_licenses_changed AFTER INSERT OR UPDATE OR DELETE ON package_licenses
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_plugin_generation();
CREATE CONSTRAINT TRIGGER bundle_items_changed AFTER INSERT OR UPDATE OR DELETE ON bundle_items
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_plugin_generation();
