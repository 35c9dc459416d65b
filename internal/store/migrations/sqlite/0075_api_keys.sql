-- +goose Up
-- What a key may do is remembered as sessions are. A row that names the key in place of a session makes it forgotten.
-- When it was last used is not remembered.
-- +goose StatementBegin
CREATE TRIGGER api_keys_removed AFTER DELETE ON api_keys
BEGIN
    UPDATE revocation_count SET number = number + 1;
    INSERT INTO revocations (number, session_id, user_id) SELECT number, 'key ' || OLD.id, '' FROM revocation_count;
    DELETE FROM revocations WHERE number <= (SELECT number - 1000 FROM revocation_count);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER api_keys_changed
AFTER UPDATE OF user_id, service_account_id, scopes, secret_hash, previous_hash, previous_until_ms, expires_at_ms,
    creator_permissions, revoked_at_ms
ON api_keys
BEGIN
    UPDATE revocation_count SET number = number + 1;
    INSERT INTO revocations (number, session_id, user_id) SELECT number, 'key ' || OLD.id, '' FROM revocation_count;
    DELETE FROM revocations WHERE number <= (SELECT number - 1000 FROM revocation_count);
END;
-- +goose StatementEnd
