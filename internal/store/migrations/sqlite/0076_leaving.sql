-- +goose Up
-- People leave: their row goes, and what others still need stays without them.

-- Accounts whose deletion is planned.
CREATE INDEX users_leaving ON users (deletion_at_ms) WHERE deletion_at_ms <> 0;
-- Bills of people who left, which are blanked in their time.
CREATE INDEX orders_left ON orders (created_at_ms) WHERE user_id = 'deleted' AND billing_info IS NOT NULL;
-- Their subscriptions, which end with the period that is paid.
CREATE INDEX orders_left_running ON orders (user_id, id)
    WHERE user_id = 'deleted' AND payment_subscription <> '' AND subscription_ended_at_ms IS NULL;

-- A review outlives its user. user_id is then 'deleted:' and the id of the review, so that a product may have
-- several of such.
CREATE TABLE reviews_kept (
    id            TEXT    NOT NULL PRIMARY KEY,
    product_id    TEXT    NOT NULL REFERENCES products (id),
    user_id       TEXT    NOT NULL,
    rating        INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
    title         TEXT    NOT NULL, -- '' if there is none; the text likewise
    text          TEXT    NOT NULL,
    hidden        INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    UNIQUE (product_id, user_id)
) STRICT;
INSERT INTO reviews_kept (id, product_id, user_id, rating, title, text, hidden, created_at_ms, updated_at_ms)
SELECT id, product_id, user_id, rating, title, text, hidden, created_at_ms, updated_at_ms FROM reviews;
DROP TABLE reviews;
ALTER TABLE reviews_kept RENAME TO reviews;
CREATE INDEX reviews_product ON reviews (product_id, hidden, created_at_ms DESC, id);
CREATE INDEX reviews_newest  ON reviews (created_at_ms DESC, id);
CREATE INDEX reviews_user    ON reviews (user_id);
-- +goose StatementBegin
CREATE TRIGGER reviews_added_to_pages AFTER INSERT ON reviews
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER reviews_changed_on_pages AFTER UPDATE ON reviews
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER reviews_removed_from_pages AFTER DELETE ON reviews
BEGIN UPDATE shop_generation SET number = number + 1 WHERE part = 0; END;
-- +goose StatementEnd

-- The log stays append-only, with one exception: what names a user may be blanked once there is no such user.
-- That is the name of an actor and of whom somebody acted for, and addresses in the details.
CREATE INDEX audit_log_behalf ON audit_log (behalf_id) WHERE behalf_id <> '';
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
    AND (NEW.details_json = OLD.details_json OR OLD.target_type = 'user'
        AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.target_id)
        AND NEW.details_json = CASE WHEN OLD.action IN ('user.change_email', 'user.revert_email')
            THEN json_replace(OLD.details_json, '$.email', '', '$.from', '')
            ELSE json_replace(OLD.details_json, '$.email', '') END))
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd

-- Copies of what there is about a user. by_staff is the administrator who asked for it, '' for the user. attempts counts
-- those that a process began, so that one that ends processes is given up.
ALTER TABLE account_exports ADD COLUMN by_staff TEXT NOT NULL DEFAULT '';
ALTER TABLE account_exports ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account_exports ADD COLUMN finished_at_ms INTEGER NOT NULL DEFAULT 0;
CREATE INDEX account_exports_running ON account_exports (created_at_ms) WHERE state = 'running';
CREATE INDEX account_exports_age ON account_exports (created_at_ms);
