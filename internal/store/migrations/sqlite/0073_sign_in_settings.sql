-- +goose Up
-- What administrators decided about signing in, in one row. What is not in values_json is not decided.
CREATE TABLE sign_in_settings (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    values_json   TEXT NOT NULL DEFAULT '{}',
    version       INTEGER NOT NULL DEFAULT 1,
    updated_at_ms INTEGER
) STRICT;
INSERT INTO sign_in_settings (id) VALUES (1);

-- Processes remember them as they do sessions, and forget them at a row that names them in place of a user.
-- +goose StatementBegin
CREATE TRIGGER sign_in_settings_changed AFTER UPDATE ON sign_in_settings
BEGIN
    UPDATE revocation_count SET number = number + 1;
    INSERT INTO revocations (number, session_id, user_id) SELECT number, '', 'sign-in settings' FROM revocation_count;
    DELETE FROM revocations WHERE number <= (SELECT number - 1000 FROM revocation_count);
END;
-- +goose StatementEnd
