-- +goose Up
-- People who run the shop, few among many.
CREATE INDEX users_staff ON users (id) WHERE role <> 'USER';
