-- +goose Up
-- The number of an instance's present enabling. A plugin's token names it and dies with it. The
-- trigger counts, so that an enabling by a replica of the previous release counts too.
ALTER TABLE plugin_instances ADD COLUMN enabling BIGINT NOT NULL DEFAULT 1;

-- +goose StatementBegin
CREATE FUNCTION count_plugin_enabling() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.enabled AND NOT OLD.enabled THEN
        NEW.enabling := OLD.enabling + 1;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE TRIGGER plugin_instances_enabled BEFORE UPDATE ON plugin_instances
    FOR EACH ROW EXECUTE FUNCTION count_plugin_enabling();
