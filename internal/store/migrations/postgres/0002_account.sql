-- +goose Up
-- Who has an account. email and username are as given; the _key columns hold the
-- form in which they are compared (account.Key).
CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    email         TEXT NOT NULL,
    email_key     TEXT NOT NULL UNIQUE,
    username      TEXT NOT NULL,
    username_key  TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    role          TEXT NOT NULL,
    avatar        TEXT NOT NULL,
    referral_code TEXT NOT NULL,
    active        BOOLEAN NOT NULL,
    created_at_ms BIGINT NOT NULL
);
-- Few users are administrators: the index holds only those.
CREATE INDEX users_admin ON users (id) WHERE role = 'ADMIN';

-- Where users are signed in: one row from sign-in to the end of the session.
-- refresh_* describe the refresh token that is due; replaced_json the ones it
-- replaced in the last seconds. Neither is a token, nor can be made into one
-- without a signing key.
CREATE TABLE sessions (
    id                   TEXT PRIMARY KEY,
    user_id              TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    refresh_id           TEXT NOT NULL,
    refresh_key_id       TEXT NOT NULL,
    refresh_issued_at_ms BIGINT NOT NULL,
    replaced_json        TEXT NOT NULL,
    created_at_ms        BIGINT NOT NULL,
    expires_at_ms        BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, expires_at_ms);

-- Keys that sign tokens, encrypted with the master key. There is one that signs
-- and at most one that will after it.
CREATE TABLE signing_keys (
    id             TEXT PRIMARY KEY,
    stage          TEXT NOT NULL CHECK (stage IN ('next', 'current', 'previous')),
    sealed         TEXT NOT NULL,
    created_at_ms  BIGINT NOT NULL,
    stage_since_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX signing_keys_one ON signing_keys (stage) WHERE stage IN ('next', 'current');
