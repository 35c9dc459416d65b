-- +goose Up
-- Lists of the instances of a plugin, by pages in their order.
CREATE INDEX plugin_instances_listed ON plugin_instances (package_slug, created_at_ms, instance_key)
    WHERE deleted_at_ms IS NULL;
