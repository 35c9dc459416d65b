-- +goose Up
-- Invitations of staff. invited_kind says what invited_by names, as in audit_log. token_hash is that of the link, ''
-- once it no longer works. A link that was printed, and not mailed, proves nothing.
ALTER TABLE invitations ADD COLUMN invited_kind TEXT NOT NULL DEFAULT 'user';
ALTER TABLE invitations ADD COLUMN token_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE invitations ADD COLUMN printed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX invitations_open ON invitations (mailbox_key) WHERE accepted_at_ms = 0 AND revoked_at_ms = 0;
CREATE INDEX invitations_token ON invitations (token_hash) WHERE token_hash <> '';
-- Entries about invitations, whose addresses are blanked with those of whoever leaves.
CREATE INDEX audit_log_invitations ON audit_log (seq) WHERE target_type = 'invitation';

-- Another exception: an address in the details of an invitation that is gone.
DROP TRIGGER audit_log_no_update;
-- +goose StatementBegin
CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
WHEN NOT (
    (NEW.seq, NEW.id, NEW.at_ms, NEW.actor_kind, NEW.actor_id, NEW.action, NEW.target_type, NEW.target_id,
        NEW.address, NEW.request_id, NEW.behalf_id)
    IS (OLD.seq, OLD.id, OLD.at_ms, OLD.actor_kind, OLD.actor_id, OLD.action, OLD.target_type, OLD.target_id,
        OLD.address, OLD.request_id, OLD.behalf_id)
    AND (NEW.actor_name = OLD.actor_name OR NEW.actor_name = '' AND OLD.actor_kind = 'user'
        AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.actor_id))
    AND (NEW.behalf_name = OLD.behalf_name OR NEW.behalf_name = ''
        AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.behalf_id))
    AND (NEW.details_json = OLD.details_json
        OR (OLD.target_type = 'user' AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.target_id)
            OR OLD.target_type = 'invitation' AND NOT EXISTS (SELECT 1 FROM invitations WHERE id = OLD.target_id))
        AND NEW.details_json = CASE WHEN OLD.action IN ('user.change_email', 'user.revert_email')
            THEN json_replace(OLD.details_json, '$.email', '', '$.from', '')
            ELSE json_replace(OLD.details_json, '$.email', '') END))
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd
