-- +goose Up
-- Permissions that the plugin asks for and that whoever installed or upgraded it might not give: a JSON array. Somebody
-- who may give them decides, and only those are left that the version asks for to which a rollback returns: another upgrade
-- takes them away.
ALTER TABLE plugin_instances ADD COLUMN undecided TEXT NOT NULL DEFAULT '[]';
CREATE INDEX plugin_instances_undecided ON plugin_instances (id) WHERE undecided <> '[]';

-- Impersonations of one user, the latest first.
CREATE INDEX impersonations_user ON impersonations (user_id, created_at_ms);
