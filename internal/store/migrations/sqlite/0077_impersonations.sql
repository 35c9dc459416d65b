-- +goose Up
-- Sessions in which staff see the shop as one of its users: who, as whom, why and until when. The id is the session's.
-- ended_at_ms is when somebody noticed the end, 0 until then. Rows stay when their users go: whoever notices the end
-- records it all the same.
CREATE TABLE impersonations (
    id            TEXT PRIMARY KEY,
    staff_id      TEXT NOT NULL,
    user_id       TEXT NOT NULL,
    reason        TEXT NOT NULL,
    writable      INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    ends_at_ms    INTEGER NOT NULL,
    ended_at_ms   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX impersonations_age ON impersonations (created_at_ms);
CREATE INDEX impersonations_open ON impersonations (id) WHERE ended_at_ms = 0;

-- Such a session ends with the one that it was begun in, whatever ends that.
CREATE INDEX sessions_parent ON sessions (parent_session_id) WHERE parent_session_id IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER sessions_parent_ended AFTER DELETE ON sessions
BEGIN
    DELETE FROM sessions WHERE parent_session_id = OLD.id;
END;
-- +goose StatementEnd
