-- +goose Up
-- What a role allows is remembered with the sessions of those who have it. A row that names the role in place of a user
-- makes it forgotten.
-- +goose StatementBegin
CREATE TRIGGER roles_added AFTER INSERT ON roles
BEGIN
    UPDATE revocation_count SET number = number + 1;
    INSERT INTO revocations (number, session_id, user_id) SELECT number, '', 'role ' || NEW.name FROM revocation_count;
    DELETE FROM revocations WHERE number <= (SELECT number - 1000 FROM revocation_count);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER roles_changed AFTER UPDATE ON roles
BEGIN
    UPDATE revocation_count SET number = number + 1;
    INSERT INTO revocations (number, session_id, user_id) SELECT number, '', 'role ' || OLD.name FROM revocation_count;
    DELETE FROM revocations WHERE number <= (SELECT number - 1000 FROM revocation_count);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER roles_removed AFTER DELETE ON roles
BEGIN
    UPDATE revocation_count SET number = number + 1;
    INSERT INTO revocations (number, session_id, user_id) SELECT number, '', 'role ' || OLD.name FROM revocation_count;
    DELETE FROM revocations WHERE number <= (SELECT number - 1000 FROM revocation_count);
END;
-- +goose StatementEnd
