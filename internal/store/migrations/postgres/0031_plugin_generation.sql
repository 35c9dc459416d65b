-- +goose Up
-- The generation of what the gateway keeps in memory: packages with their settings,
-- instances and signing secrets. Every transaction that changes one of them raises it,
-- whoever wrote it. A process that has read a generation may use what it reads after
-- that until the number is another.
CREATE TABLE plugin_generation (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    number BIGINT NOT NULL
);
INSERT INTO plugin_generation (id, number) VALUES (1, 1);

-- Raises the generation once in a transaction, and tells the processes that listen.
-- The triggers are deferred to the commit: transactions about different plugins would
-- otherwise wait for one another from their first change on.
-- +goose StatementBegin
CREATE FUNCTION raise_plugin_generation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('stoa.generation_raised_in', true) IS DISTINCT FROM txid_current()::text THEN
        PERFORM set_config('stoa.generation_raised_in', txid_current()::text, true);
        UPDATE plugin_generation SET number = number + 1;
        PERFORM pg_notify('stoa_plugin_generation', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER plugin_packages_changed AFTER INSERT OR UPDATE OR DELETE ON plugin_packages
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_plugin_generation();
CREATE CONSTRAINT TRIGGER plugin_instances_changed AFTER INSERT OR UPDATE OR DELETE ON plugin_instances
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_plugin_generation();
CREATE CONSTRAINT TRIGGER plugin_secrets_changed AFTER INSERT OR UPDATE OR DELETE ON plugin_secrets
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_plugin_generation();
