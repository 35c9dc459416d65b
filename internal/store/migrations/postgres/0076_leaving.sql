-- +goose Up
-- People leave: their row goes, and what others still need stays without them.

-- Accounts whose deletion is planned.
CREATE INDEX users_leaving ON users (deletion_at_ms) WHERE deletion_at_ms <> 0;
-- Bills of people who left, which are blanked in their time.
CREATE INDEX orders_left ON orders (created_at_ms) WHERE user_id = 'deleted' AND billing_info IS NOT NULL;
-- Their subscriptions, which end with the period that is paid.
CREATE INDEX orders_left_running ON orders (user_id, id)
    WHERE user_id = 'deleted' AND payment_subscription <> '' AND subscription_ended_at_ms IS NULL;

CREATE INDEX reviews_user ON reviews (user_id);

-- The log stays append-only, with one exception: what names a user may be blanked once there is no such user.
-- That is the name of an actor and of whom somebody acted for, and addresses in the details.
CREATE INDEX audit_log_behalf ON audit_log (behalf_id) WHERE behalf_id <> '';
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
        IF OLD.target_type = 'user' AND NEW.details_json::jsonb = blank
            AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.target_id)
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only';
END;
$$;
-- +goose StatementEnd

-- Copies of what there is about a user. by_staff is the administrator who asked for it, '' for the user. attempts counts
-- those that a process began, so that one that ends processes is given up.
ALTER TABLE account_exports ADD COLUMN by_staff TEXT NOT NULL DEFAULT '';
ALTER TABLE account_exports ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account_exports ADD COLUMN finished_at_ms BIGINT NOT NULL DEFAULT 0;
CREATE INDEX account_exports_running ON account_exports (created_at_ms) WHERE state = 'running';
CREATE INDEX account_exports_age ON account_exports (created_at_ms);

-- A review outlives its user. user_id is then 'deleted:' and the id of the review, so that a product may have
-- several of such. Last: it keeps others from users until the end.
ALTER TABLE reviews DROP CONSTRAINT reviews_user_id_fkey;
