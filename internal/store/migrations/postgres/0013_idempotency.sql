-- +goose Up
-- Requests with an Idempotency-Key, kept for 24 hours. id and fingerprint are
-- keyed hashes: of operation, caller and key, and of the request's content. seed
-- is what the ids of things made by the request derive from; it survives an
-- attempt that was interrupted. answer_sealed is empty until there is an answer,
-- and until then owner is the attempt that holds the lease.
CREATE TABLE idempotency_keys (
    id             TEXT COLLATE "C" PRIMARY KEY,
    fingerprint    TEXT NOT NULL,
    seed           TEXT NOT NULL,
    owner          TEXT NOT NULL,
    attempts       INTEGER NOT NULL,
    lease_until_ms BIGINT NOT NULL,
    answer_sealed  TEXT NOT NULL,
    expires_at_ms  BIGINT NOT NULL
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at_ms);
