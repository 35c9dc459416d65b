-- +goose Up
-- What a role allows is remembered with the sessions of those who have it. A row that names the role in place of a user
-- makes it forgotten.
-- +goose StatementBegin
CREATE FUNCTION revoke_role() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    next BIGINT;
BEGIN
    UPDATE revocation_count SET number = number + 1 RETURNING number INTO next;
    INSERT INTO revocations (number, session_id, user_id) VALUES (next, '', 'role ' || COALESCE(NEW.name, OLD.name));
    DELETE FROM revocations WHERE number <= next - 1000;
    PERFORM pg_notify('stoa_revocations', '');
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER roles_changed AFTER INSERT OR UPDATE OR DELETE ON roles
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION revoke_role();
