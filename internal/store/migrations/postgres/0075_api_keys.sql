-- +goose Up
-- What a key may do is remembered as sessions are. A row that names the key in place of a session makes it forgotten.
-- When it was last used is not remembered.
-- +goose StatementBegin
CREATE FUNCTION revoke_api_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    next BIGINT;
BEGIN
    UPDATE revocation_count SET number = number + 1 RETURNING number INTO next;
    INSERT INTO revocations (number, session_id, user_id) VALUES (next, 'key ' || OLD.id, '');
    DELETE FROM revocations WHERE number <= next - 1000;
    PERFORM pg_notify('stoa_revocations', '');
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER api_keys_removed AFTER DELETE ON api_keys
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION revoke_api_key();
CREATE CONSTRAINT TRIGGER api_keys_changed
    AFTER UPDATE OF user_id, service_account_id, scopes, secret_hash, previous_hash, previous_until_ms, expires_at_ms,
        creator_permissions, revoked_at_ms
    ON api_keys
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION revoke_api_key();
