-- +goose Up
-- What administrators decided about signing in, in one row. What is not in values_json is not decided.
CREATE TABLE sign_in_settings (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    values_json   TEXT NOT NULL DEFAULT '{}',
    version       BIGINT NOT NULL DEFAULT 1,
    updated_at_ms BIGINT
);
INSERT INTO sign_in_settings (id) VALUES (1);

-- Processes remember them as they do sessions, and forget them at a row that names them in place of a user.
-- +goose StatementBegin
CREATE FUNCTION revoke_sign_in_settings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    next BIGINT;
BEGIN
    UPDATE revocation_count SET number = number + 1 RETURNING number INTO next;
    INSERT INTO revocations (number, session_id, user_id) VALUES (next, '', 'sign-in settings');
    DELETE FROM revocations WHERE number <= next - 1000;
    PERFORM pg_notify('stoa_revocations', '');
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER sign_in_settings_changed AFTER UPDATE ON sign_in_settings
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION revoke_sign_in_settings();
