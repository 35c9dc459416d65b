-- +goose Up
-- Who did what to what. seq is the order of recording, for entries of the same
-- millisecond. No reference to users: an entry outlives what it tells about.
CREATE TABLE audit_log (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    at_ms        BIGINT NOT NULL,
    actor_kind   TEXT NOT NULL,
    actor_id     TEXT NOT NULL,
    actor_name   TEXT NOT NULL,
    action       TEXT NOT NULL,
    target_type  TEXT NOT NULL,
    target_id    TEXT NOT NULL,
    address      TEXT NOT NULL,
    request_id   TEXT NOT NULL,
    details_json TEXT NOT NULL
);
CREATE INDEX audit_log_at ON audit_log (at_ms, seq);
CREATE INDEX audit_log_actor ON audit_log (actor_id, at_ms);
CREATE INDEX audit_log_target ON audit_log (target_id, at_ms);

-- The order of the administrators' list of users.
CREATE INDEX users_created ON users (created_at_ms, id);

-- Append-only.
-- +goose StatementBegin
CREATE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END;
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_log_no_change BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION audit_log_refuse();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_refuse();
