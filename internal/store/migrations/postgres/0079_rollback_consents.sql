-- +goose Up
-- What the version was given while it ran, of what only some may give: {"zipHash", "names"}. The hash is that of the
-- version, because the release before writes the row without this column.
ALTER TABLE plugin_previous_versions ADD COLUMN consents_json TEXT NOT NULL DEFAULT '{}';
