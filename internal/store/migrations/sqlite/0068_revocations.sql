-- +goose Up
-- What ended sessions and changed users, so that processes may remember which sessions are
-- alive. Each row names what a process has to forget: one session, or all of a user's if
-- session_id is empty. The number is taken under a lock that is held to the commit, so rows
-- appear in the order of their numbers. Only the latest 1,000 are kept.
CREATE TABLE revocation_count (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    number INTEGER NOT NULL
) STRICT;
INSERT INTO revocation_count (id, number) VALUES (1, 1);

CREATE TABLE revocations (
    number     INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    user_id    TEXT NOT NULL
) STRICT;

-- The processes that answer from memory, and up to which row each has forgotten. Not used
-- with SQLite, where one process at most does, which holds a lock on a file.
CREATE TABLE session_readers (
    id    TEXT PRIMARY KEY,
    taken INTEGER NOT NULL
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER sessions_ended AFTER DELETE ON sessions
BEGIN
    UPDATE revocation_count SET number = number + 1;
    INSERT INTO revocations (number, session_id, user_id) SELECT number, OLD.id, OLD.user_id FROM revocation_count;
    DELETE FROM revocations WHERE number <= (SELECT number - 1000 FROM revocation_count);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_removed AFTER DELETE ON users
BEGIN
    UPDATE revocation_count SET number = number + 1;
    INSERT INTO revocations (number, session_id, user_id) SELECT number, '', OLD.id FROM revocation_count;
    DELETE FROM revocations WHERE number <= (SELECT number - 1000 FROM revocation_count);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_changed AFTER UPDATE ON users
WHEN OLD.email <> NEW.email OR OLD.username <> NEW.username OR OLD.role <> NEW.role OR OLD.avatar <> NEW.avatar
    OR OLD.referral_code <> NEW.referral_code OR OLD.active <> NEW.active
BEGIN
    UPDATE revocation_count SET number = number + 1;
    INSERT INTO revocations (number, session_id, user_id) SELECT number, '', OLD.id FROM revocation_count;
    DELETE FROM revocations WHERE number <= (SELECT number - 1000 FROM revocation_count);
END;
-- +goose StatementEnd
