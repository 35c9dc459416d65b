-- +goose Up
-- Invitations of staff. invited_kind says what invited_by names, as in audit_log. token_hash is that of the link, ''
-- once it no longer works. A link that was printed, and not mailed, proves nothing.
ALTER TABLE invitations ADD COLUMN invited_kind TEXT NOT NULL DEFAULT 'user';
ALTER TABLE invitations ADD COLUMN token_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE invitations ADD COLUMN printed BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX invitations_open ON invitations (mailbox_key) WHERE accepted_at_ms = 0 AND revoked_at_ms = 0;
CREATE INDEX invitations_token ON invitations (token_hash) WHERE token_hash <> '';
-- Entries about invitations, whose addresses are blanked with those of whoever leaves.
CREATE INDEX audit_log_invitations ON audit_log (seq) WHERE target_type = 'invitation';

-- Another exception: an address in the details of an invitation that is gone.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    fixed TEXT[] := ARRAY['actor_name', 'behalf_name', 'details_json'];
    blank JSONB;
BEGIN
    IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - fixed = to_jsonb(OLD) - fixed
        AND (NEW.actor_name = OLD.actor_name OR NEW.actor_name = '' AND OLD.actor_kind = 'user'
            AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.actor_id))
        AND (NEW.behalf_name = OLD.behalf_name OR NEW.behalf_name = ''
            AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.behalf_id))
    THEN
        IF NEW.details_json = OLD.details_json THEN
            RETURN NEW;
        END IF;
        blank := jsonb_set(OLD.details_json::jsonb, '{email}', '""', false);
        IF OLD.action IN ('user.change_email', 'user.revert_email') THEN
            blank := jsonb_set(blank, '{from}', '""', false);
        END IF;
        IF NEW.details_json::jsonb = blank
            AND (OLD.target_type = 'user' AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.target_id)
                OR OLD.target_type = 'invitation' AND NOT EXISTS (SELECT 1 FROM invitations WHERE id = OLD.target_id))
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only';
END;
$$;
-- +goose StatementEnd
