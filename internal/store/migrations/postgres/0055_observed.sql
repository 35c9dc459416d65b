-- +goose Up
-- The traceparent of the request that published an event or caused a delivery; empty if it was
-- not recorded. The span of each attempt is linked to it.
ALTER TABLE events ADD COLUMN cause TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN cause TEXT COLLATE "C" NOT NULL DEFAULT '';

-- How far the audit log was sent to where it is streamed to, and which process sends: the one
-- with the lease.
CREATE TABLE audit_streams (
    name           TEXT COLLATE "C" PRIMARY KEY,
    sent_seq       BIGINT NOT NULL, -- of the last entry that was taken
    lease          TEXT COLLATE "C" NOT NULL, -- empty: no process has it
    lease_until_ms BIGINT NOT NULL, -- by the clock of the database
    failures       BIGINT NOT NULL, -- since an entry was taken
    error          TEXT NOT NULL    -- of the last attempt; empty if it succeeded
);
