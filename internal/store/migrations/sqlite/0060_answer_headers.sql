-- +goose Up
-- The headers of a receiver's answer, one "name: value" a line.
ALTER TABLE delivery_attempts ADD COLUMN headers TEXT NOT NULL DEFAULT '';
