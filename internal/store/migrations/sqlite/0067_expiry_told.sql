-- +goose Up
-- The end of the term whose event license.expired was published. Another end is told again, so that
-- renewing and changing need not know about it. -1 is no end.
ALTER TABLE licenses ADD COLUMN expiry_told_ms INTEGER NOT NULL DEFAULT -1;

-- What ended before there was such an event is not told.
UPDATE licenses SET expiry_told_ms = expires_at_ms WHERE expires_at_ms + leeway_ms <= unixepoch() * 1000;

CREATE INDEX licenses_untold ON licenses ((expires_at_ms + leeway_ms))
    WHERE expires_at_ms <> expiry_told_ms AND revoked_at_ms IS NULL AND paid;
