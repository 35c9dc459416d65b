-- +goose Up
-- What ended sessions and changed users, so that processes may remember which sessions are
-- alive. Each row names what a process has to forget: one session, or all of a user's if
-- session_id is empty. The number is taken under a lock that is held to the commit, so rows
-- appear in the order of their numbers. Only the latest 1,000 are kept.
CREATE TABLE revocation_count (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    number BIGINT NOT NULL
);
INSERT INTO revocation_count (id, number) VALUES (1, 1);

CREATE TABLE revocations (
    number     BIGINT PRIMARY KEY,
    session_id TEXT NOT NULL,
    user_id    TEXT NOT NULL
);

-- The processes that answer from memory, and up to which row each has forgotten.
CREATE TABLE session_readers (
    id    TEXT PRIMARY KEY,
    taken BIGINT NOT NULL
);

-- The triggers are deferred to the commit: transactions about different users would
-- otherwise wait for one another from their first change on.
-- +goose StatementBegin
CREATE FUNCTION revoke_session() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    next BIGINT;
BEGIN
    UPDATE revocation_count SET number = number + 1 RETURNING number INTO next;
    IF TG_TABLE_NAME = 'sessions' THEN
        INSERT INTO revocations (number, session_id, user_id) VALUES (next, OLD.id, OLD.user_id);
    ELSE
        INSERT INTO revocations (number, session_id, user_id) VALUES (next, '', OLD.id);
    END IF;
    DELETE FROM revocations WHERE number <= next - 1000;
    PERFORM pg_notify('stoa_revocations', '');
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER sessions_ended AFTER DELETE ON sessions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION revoke_session();
CREATE CONSTRAINT TRIGGER users_removed AFTER DELETE ON users
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION revoke_session();
CREATE CONSTRAINT TRIGGER users_changed AFTER UPDATE ON users
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN ((OLD.email, OLD.username, OLD.role, OLD.avatar, OLD.referral_code, OLD.active)
        IS DISTINCT FROM (NEW.email, NEW.username, NEW.role, NEW.avatar, NEW.referral_code, NEW.active))
    EXECUTE FUNCTION revoke_session();
