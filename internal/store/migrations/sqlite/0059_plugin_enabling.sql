-- +goose Up
-- The number of an instance's present enabling. A plugin's token names it and dies with it. The
-- trigger counts, so that whoever enables an instance need not.
ALTER TABLE plugin_instances ADD COLUMN enabling INTEGER NOT NULL DEFAULT 1;

-- +goose StatementBegin
CREATE TRIGGER plugin_instances_enabled AFTER UPDATE OF enabled ON plugin_instances
WHEN NEW.enabled = 1 AND OLD.enabled = 0
BEGIN UPDATE plugin_instances SET enabling = OLD.enabling + 1 WHERE id = NEW.id; END;
-- +goose StatementEnd
