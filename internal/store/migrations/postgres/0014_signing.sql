-- +goose Up
-- What a signing key is for: tokens of accounts, or answers and leases of
-- licenses. There is one current and one next key of each purpose.
ALTER TABLE signing_keys ADD COLUMN purpose TEXT COLLATE "C" NOT NULL DEFAULT 'account' CHECK (purpose IN ('account', 'license'));
DROP INDEX signing_keys_one;
CREATE UNIQUE INDEX signing_keys_one ON signing_keys (purpose, stage) WHERE stage IN ('next', 'current');
