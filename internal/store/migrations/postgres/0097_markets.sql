-- +goose Up
-- Markets of other stoas. url is where stoa asks, root_hash what the market is known by for ever. etag is that of the
-- timestamp held, which is good until timestamp_until_ms; good_until_ms is the first end of anything held. failure says
-- why the last check did not end, distrust why nothing of the market is believed; '' stands for nothing. misfit is the
-- version of the snapshot under which a package did not fit, 0 if none. seen_ms is the latest time of a check, and
-- revision counts the changes.
CREATE TABLE markets (
    id                 TEXT COLLATE "C" PRIMARY KEY,
    url                TEXT COLLATE "C" NOT NULL,
    name               TEXT COLLATE "C" NOT NULL,
    root_hash          TEXT COLLATE "C" NOT NULL UNIQUE,
    etag               TEXT COLLATE "C" NOT NULL DEFAULT '',
    failure            TEXT COLLATE "C" NOT NULL DEFAULT '',
    distrust           TEXT COLLATE "C" NOT NULL DEFAULT '',
    misfit             BIGINT NOT NULL DEFAULT 0,
    timestamp_until_ms BIGINT NOT NULL,
    good_until_ms      BIGINT NOT NULL,
    checked_at_ms      BIGINT NOT NULL,
    seen_ms            BIGINT NOT NULL,
    added_at_ms        BIGINT NOT NULL,
    revision           BIGINT NOT NULL DEFAULT 1
);

-- What is held of each market, verified: metadata by its role, targets by their path.
CREATE TABLE market_files (
    market_id TEXT COLLATE "C" NOT NULL REFERENCES markets (id) ON DELETE CASCADE,
    name      TEXT COLLATE "C" NOT NULL,
    content   BYTEA NOT NULL,
    PRIMARY KEY (market_id, name)
);
