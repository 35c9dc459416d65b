-- +goose Up
-- Plugin tokens have signing keys of their own: purpose 'plugin'. Which purposes there are
-- is for the program to know.
ALTER TABLE signing_keys DROP CONSTRAINT signing_keys_purpose_check;
