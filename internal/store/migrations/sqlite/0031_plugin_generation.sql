-- +goose Up
-- The generation of what the gateway keeps in memory: packages with their settings,
-- instances and signing secrets. Every transaction that changes one of them raises it,
-- whoever wrote it. A process that has read a generation may use what it reads after
-- that until the number is another.
CREATE TABLE plugin_generation (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    number INTEGER NOT NULL
) STRICT;
INSERT INTO plugin_generation (id, number) VALUES (1, 1);

-- +goose StatementBegin
CREATE TRIGGER plugin_packages_added AFTER INSERT ON plugin_packages
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plugin_packages_changed AFTER UPDATE ON plugin_packages
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plugin_packages_removed AFTER DELETE ON plugin_packages
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plugin_instances_added AFTER INSERT ON plugin_instances
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plugin_instances_changed AFTER UPDATE ON plugin_instances
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plugin_instances_removed AFTER DELETE ON plugin_instances
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plugin_secrets_added AFTER INSERT ON plugin_secrets
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plugin_secrets_changed AFTER UPDATE ON plugin_secrets
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plugin_secrets_removed AFTER DELETE ON plugin_secrets
BEGIN UPDATE plugin_generation SET number = number + 1; END;
-- +goose StatementEnd
