-- +goose Up
-- The traceparent of the request that published an event or caused a delivery; empty if it was
-- not recorded. The span of each attempt is linked to it.
ALTER TABLE events ADD COLUMN cause TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN cause TEXT NOT NULL DEFAULT '';

-- How far the audit log was sent to where it is streamed to, and which process sends: the one
-- with the lease.
CREATE TABLE audit_streams (
    name           TEXT PRIMARY KEY,
    sent_seq       INTEGER NOT NULL, -- of the last entry that was taken
    lease          TEXT NOT NULL,    -- empty: no process has it
    lease_until_ms INTEGER NOT NULL, -- by the clock of the database
    failures       INTEGER NOT NULL, -- since an entry was taken
    error          TEXT NOT NULL     -- of the last attempt; empty if it succeeded
) STRICT;
