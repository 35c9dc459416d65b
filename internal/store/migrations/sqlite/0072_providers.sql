-- +goose Up
-- A flow is found by the cookie of its browser.
CREATE INDEX oidc_flows_cookie ON oidc_flows (cookie_hash);
-- No two providers have the same issuer. A table of its own: the previous release would not expect
-- a unique index on one that it may write.
CREATE TABLE provider_issuers (
    issuer      TEXT PRIMARY KEY,
    provider_id TEXT NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX provider_issuers_provider ON provider_issuers (provider_id);
