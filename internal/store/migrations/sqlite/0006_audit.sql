-- +goose Up
-- Who did what to what. seq is the order of recording, for entries of the same
-- millisecond. No reference to users: an entry outlives what it tells about.
CREATE TABLE audit_log (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT NOT NULL UNIQUE,
    at_ms        INTEGER NOT NULL,
    actor_kind   TEXT NOT NULL,
    actor_id     TEXT NOT NULL,
    actor_name   TEXT NOT NULL,
    action       TEXT NOT NULL,
    target_type  TEXT NOT NULL,
    target_id    TEXT NOT NULL,
    address      TEXT NOT NULL,
    request_id   TEXT NOT NULL,
    details_json TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_at ON audit_log (at_ms, seq);
CREATE INDEX audit_log_actor ON audit_log (actor_id, at_ms);
CREATE INDEX audit_log_target ON audit_log (target_id, at_ms);

-- The order of the administrators' list of users.
CREATE INDEX users_created ON users (created_at_ms, id);

-- Append-only. The third trigger is for INSERT OR REPLACE, which deletes without
-- asking the second.
-- +goose StatementBegin
CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_log_no_replace BEFORE INSERT ON audit_log
WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.id OR seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd
