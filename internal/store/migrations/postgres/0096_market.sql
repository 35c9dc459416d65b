-- +goose Up
-- What other stoas are told of a package without opening it. An empty signer_key: not read from the archive yet.
ALTER TABLE product_packages ADD COLUMN signer_key TEXT NOT NULL DEFAULT '';
ALTER TABLE product_packages ADD COLUMN permissions TEXT NOT NULL DEFAULT '[]';
ALTER TABLE product_packages ADD COLUMN min_platform TEXT NOT NULL DEFAULT '';

-- The signed metadata of the market, by TUF's roles. One version of each is current: replaced_at_ms is NULL. The others
-- are kept for a while for those who are reading them, and those of root for ever.
CREATE TABLE market_metadata (
    role           TEXT COLLATE "C" NOT NULL,
    version        BIGINT NOT NULL,
    content        TEXT NOT NULL,
    says           TEXT NOT NULL,
    key_id         TEXT NOT NULL,
    signed_at_ms   BIGINT NOT NULL,
    expires_at_ms  BIGINT NOT NULL,
    replaced_at_ms BIGINT,
    PRIMARY KEY (role, version)
);
CREATE UNIQUE INDEX market_metadata_current ON market_metadata (role) WHERE replaced_at_ms IS NULL;
CREATE INDEX market_metadata_replaced ON market_metadata (replaced_at_ms) WHERE replaced_at_ms IS NOT NULL;

-- The targets of the market that are no packages, by name and SHA-256.
CREATE TABLE market_targets (
    name           TEXT COLLATE "C" NOT NULL,
    hash           TEXT COLLATE "C" NOT NULL,
    content        TEXT NOT NULL,
    replaced_at_ms BIGINT,
    PRIMARY KEY (name, hash)
);

-- What the market remembers, in one row. signed is what the metadata was last compared with; warned the root, and how
-- many days before its end administrators were mailed. restored_root and restored_key are those that a backup brought
-- back: until both are others, clients may trust what was signed after the backup.
CREATE TABLE market_state (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    signed        TEXT   NOT NULL DEFAULT '',
    warned        TEXT   NOT NULL DEFAULT '',
    restored_root BIGINT NOT NULL DEFAULT 0,
    restored_key  TEXT   NOT NULL DEFAULT ''
);
