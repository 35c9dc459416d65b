-- +goose Up
-- Ways into an account that nobody can take over: who proved which address, how sessions began,
-- second factors, passkeys, identities of other providers, keys, roles, and what stoa mailed.
-- What the previous release does not know has a default that means what it does.

-- email_proven_at_ms is when the account's mailbox was proven, 0 for never. mailbox_key is the
-- form in which mailboxes are compared (mailbox.Key); it is empty in rows that the previous
-- release wrote, until a process fills it. generation rises with whatever voids what is pending.
-- password_hash may be empty from now on: no password fits.
ALTER TABLE users ADD COLUMN email_proven_at_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN mailbox_key TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN deletion_at_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN breached_at_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN password_once INTEGER NOT NULL DEFAULT 0;
-- What mailbox.Key makes of an address in ASCII. The others are filled by a process.
UPDATE users SET mailbox_key = lower(email) WHERE email NOT GLOB '*[^ -~]*';
CREATE INDEX users_mailbox ON users (mailbox_key) WHERE mailbox_key <> '';
CREATE INDEX users_without_mailbox ON users (id) WHERE mailbox_key = '';

-- What a browser knows a user by. A table of its own, because the previous release may write
-- users while a unique index is new.
CREATE TABLE webauthn_handles (
    user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    handle  BLOB NOT NULL UNIQUE
) STRICT;

-- How a session began: its level (1, or 2 after a second factor), by which methods, separated by
-- commas, and when; when its user proved again to be there. 0 in authenticated_at_ms: when it
-- was created. ends_at_ms: it ends then, whatever is refreshed; 0 for never.
ALTER TABLE sessions ADD COLUMN level INTEGER NOT NULL DEFAULT 1;
ALTER TABLE sessions ADD COLUMN methods TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN phishing_resistant INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN authenticated_at_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN reauthenticated_at_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN ends_at_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN user_agent TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN last_address TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN device_id TEXT;
ALTER TABLE sessions ADD COLUMN impersonator_id TEXT;
ALTER TABLE sessions ADD COLUMN parent_session_id TEXT;
ALTER TABLE sessions ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN writable INTEGER NOT NULL DEFAULT 0;

-- Sign-ins whose password was right and whose second step is due. No session exists yet.
CREATE TABLE sign_in_challenges (
    token_hash     TEXT PRIMARY KEY,
    user_id        TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    generation     INTEGER NOT NULL,
    password_print TEXT NOT NULL,
    tries          INTEGER NOT NULL DEFAULT 0,
    first_method   TEXT NOT NULL,
    device_id      TEXT,
    flow_hash      TEXT,
    created_at_ms  INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_challenges_user ON sign_in_challenges (user_id);
CREATE INDEX sign_in_challenges_age ON sign_in_challenges (created_at_ms);

-- WebAuthn ceremonies that began: register, sign_in, second or reauth.
CREATE TABLE ceremonies (
    challenge_hash    TEXT PRIMARY KEY,
    kind              TEXT NOT NULL,
    user_id           TEXT REFERENCES users (id) ON DELETE CASCADE,
    session_id        TEXT,
    sign_in_challenge TEXT,
    created_at_ms     INTEGER NOT NULL
) STRICT;
CREATE INDEX ceremonies_user ON ceremonies (user_id);
CREATE INDEX ceremonies_age ON ceremonies (created_at_ms);

CREATE TABLE passkeys (
    id              TEXT PRIMARY KEY,
    user_id         TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    credential_id   TEXT NOT NULL UNIQUE,
    public_key      BLOB NOT NULL,
    alg             INTEGER NOT NULL,
    sign_count      INTEGER NOT NULL,
    aaguid          TEXT NOT NULL,
    backup_eligible INTEGER NOT NULL,
    backed_up       INTEGER NOT NULL,
    transports      TEXT NOT NULL,
    rp_id           TEXT NOT NULL,
    name            TEXT NOT NULL,
    created_at_ms   INTEGER NOT NULL,
    last_used_at_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX passkeys_user ON passkeys (user_id);

-- One-time codes of an app. confirmed_at_ms is 0 until the first right code.
CREATE TABLE totp (
    user_id           TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    secret_sealed     TEXT NOT NULL,
    created_at_ms     INTEGER NOT NULL,
    confirmed_at_ms   INTEGER NOT NULL DEFAULT 0,
    last_step         INTEGER NOT NULL DEFAULT 0,
    failures          INTEGER NOT NULL DEFAULT 0,
    failures_since_ms INTEGER NOT NULL DEFAULT 0,
    paused_until_ms   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE recovery_codes (
    code_hash     TEXT PRIMARY KEY,
    user_id       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at_ms INTEGER NOT NULL,
    used_at_ms    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX recovery_codes_user ON recovery_codes (user_id);

-- Resets of a second factor that staff began and that are not due yet.
CREATE TABLE factor_resets (
    user_id       TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    staff_id      TEXT NOT NULL,
    due_at_ms     INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
) STRICT;

-- Links and codes in mails. Neither is kept, only hashes. address is the mailbox they went to, or
-- the one they are about; address_key its account.Key where nobody else may take it meanwhile.
-- One that was used is deleted.
CREATE TABLE mail_tokens (
    token_hash    TEXT PRIMARY KEY,
    kind          TEXT NOT NULL,
    user_id       TEXT REFERENCES users (id) ON DELETE CASCADE,
    address       TEXT NOT NULL,
    address_key   TEXT NOT NULL DEFAULT '',
    generation    INTEGER NOT NULL DEFAULT 0,
    flow_hash     TEXT,
    code_hash     TEXT,
    tries         INTEGER NOT NULL DEFAULT 0,
    data_json     TEXT NOT NULL DEFAULT '{}',
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX mail_tokens_user ON mail_tokens (user_id, kind);
CREATE INDEX mail_tokens_held ON mail_tokens (address_key) WHERE address_key <> '';
CREATE INDEX mail_tokens_age ON mail_tokens (expires_at_ms);

CREATE TABLE identity_providers (
    id                 TEXT PRIMARY KEY,
    slug               TEXT NOT NULL UNIQUE,
    kind               TEXT NOT NULL,
    name               TEXT NOT NULL,
    issuer             TEXT NOT NULL,
    client_id          TEXT NOT NULL,
    secret_sealed      TEXT NOT NULL,
    scopes             TEXT NOT NULL,
    enabled            INTEGER NOT NULL,
    sign_up            INTEGER NOT NULL,
    staff              INTEGER NOT NULL,
    verifies_addresses INTEGER NOT NULL,
    allowed_domains    TEXT NOT NULL,
    created_at_ms      INTEGER NOT NULL
) STRICT;

-- Accounts at providers that sign a user in. They outlive the row of their provider.
CREATE TABLE identities (
    id              TEXT PRIMARY KEY,
    user_id         TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider_id     TEXT NOT NULL,
    issuer          TEXT NOT NULL,
    subject         TEXT NOT NULL,
    generation      INTEGER NOT NULL,
    email           TEXT NOT NULL,
    created_at_ms   INTEGER NOT NULL,
    last_used_at_ms INTEGER NOT NULL DEFAULT 0,
    UNIQUE (issuer, subject),
    UNIQUE (user_id, provider_id)
) STRICT;

CREATE TABLE oidc_flows (
    state_hash      TEXT PRIMARY KEY,
    cookie_hash     TEXT NOT NULL,
    provider_id     TEXT NOT NULL,
    mode            TEXT NOT NULL,
    user_id         TEXT REFERENCES users (id) ON DELETE CASCADE,
    session_id      TEXT,
    generation      INTEGER NOT NULL,
    username        TEXT,
    nonce           TEXT NOT NULL,
    verifier_sealed TEXT NOT NULL,
    return_to       TEXT NOT NULL,
    result_sealed   TEXT NOT NULL DEFAULT '',
    code_hash       TEXT,
    tries           INTEGER NOT NULL DEFAULT 0,
    created_at_ms   INTEGER NOT NULL
) STRICT;
CREATE INDEX oidc_flows_user ON oidc_flows (user_id);
CREATE INDEX oidc_flows_age ON oidc_flows (created_at_ms);

CREATE TABLE known_devices (
    id          TEXT PRIMARY KEY,
    user_id     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    cookie_hash TEXT NOT NULL,
    name        TEXT NOT NULL,
    first_at_ms INTEGER NOT NULL,
    last_at_ms  INTEGER NOT NULL,
    UNIQUE (user_id, cookie_hash)
) STRICT;
CREATE INDEX known_devices_age ON known_devices (last_at_ms);

-- How people signed in, or failed to, for 90 days.
CREATE TABLE sign_ins (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    at_ms      INTEGER NOT NULL,
    outcome    TEXT NOT NULL,
    methods    TEXT NOT NULL,
    address    TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    device_id  TEXT
) STRICT;
CREATE INDEX sign_ins_user ON sign_ins (user_id, at_ms);
CREATE INDEX sign_ins_age ON sign_ins (at_ms);

CREATE TABLE service_accounts (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,
    created_by    TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
) STRICT;

-- Keys of users and of service accounts; of the secrets, only hashes.
CREATE TABLE api_keys (
    id                  TEXT PRIMARY KEY,
    user_id             TEXT REFERENCES users (id) ON DELETE CASCADE,
    service_account_id  TEXT REFERENCES service_accounts (id) ON DELETE CASCADE,
    name                TEXT NOT NULL,
    scopes              TEXT NOT NULL,
    secret_hash         TEXT NOT NULL,
    previous_hash       TEXT,
    previous_until_ms   INTEGER NOT NULL DEFAULT 0,
    created_at_ms       INTEGER NOT NULL,
    expires_at_ms       INTEGER,
    last_used_at_ms     INTEGER NOT NULL DEFAULT 0,
    last_address        TEXT NOT NULL DEFAULT '',
    created_by          TEXT NOT NULL,
    creator_permissions TEXT NOT NULL,
    revoked_at_ms       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX api_keys_user ON api_keys (user_id);
CREATE INDEX api_keys_service ON api_keys (service_account_id);

CREATE TABLE roles (
    name          TEXT PRIMARY KEY,
    permissions   TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE invitations (
    id             TEXT PRIMARY KEY,
    email          TEXT NOT NULL,
    mailbox_key    TEXT NOT NULL,
    role           TEXT NOT NULL,
    invited_by     TEXT NOT NULL,
    created_at_ms  INTEGER NOT NULL,
    expires_at_ms  INTEGER NOT NULL,
    accepted_at_ms INTEGER NOT NULL DEFAULT 0,
    revoked_at_ms  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX invitations_mailbox ON invitations (mailbox_key);

CREATE TABLE account_exports (
    id            TEXT PRIMARY KEY,
    user_id       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    state         TEXT NOT NULL,
    file          TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX account_exports_user ON account_exports (user_id);

-- For whom something was done: the user behind an impersonation.
ALTER TABLE audit_log ADD COLUMN behalf_id TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_log ADD COLUMN behalf_name TEXT NOT NULL DEFAULT '';
ALTER TABLE plugin_storage ADD COLUMN by_user TEXT;
ALTER TABLE plugin_storage ADD COLUMN by_impersonator TEXT;
ALTER TABLE events ADD COLUMN by_user TEXT;
ALTER TABLE events ADD COLUMN by_impersonator TEXT;

-- What else processes may answer from memory about a session and its user (0068). They ask the
-- database for reauthenticated_at_ms, and for what a refresh changes.
-- +goose StatementBegin
CREATE TRIGGER users_ways_changed
AFTER UPDATE OF email_proven_at_ms, deletion_at_ms, password_once ON users
WHEN OLD.email_proven_at_ms <> NEW.email_proven_at_ms OR OLD.deletion_at_ms <> NEW.deletion_at_ms
    OR OLD.password_once <> NEW.password_once
BEGIN
    UPDATE revocation_count SET number = number + 1;
    INSERT INTO revocations (number, session_id, user_id) SELECT number, '', OLD.id FROM revocation_count;
    DELETE FROM revocations WHERE number <= (SELECT number - 1000 FROM revocation_count);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER sessions_changed
AFTER UPDATE OF level, methods, phishing_resistant, authenticated_at_ms, ends_at_ms, impersonator_id, writable
ON sessions
WHEN OLD.level <> NEW.level OR OLD.methods <> NEW.methods OR OLD.phishing_resistant <> NEW.phishing_resistant
    OR OLD.authenticated_at_ms <> NEW.authenticated_at_ms OR OLD.ends_at_ms <> NEW.ends_at_ms
    OR OLD.impersonator_id IS NOT NEW.impersonator_id OR OLD.writable <> NEW.writable
BEGIN
    UPDATE revocation_count SET number = number + 1;
    INSERT INTO revocations (number, session_id, user_id) SELECT number, OLD.id, OLD.user_id FROM revocation_count;
    DELETE FROM revocations WHERE number <= (SELECT number - 1000 FROM revocation_count);
END;
-- +goose StatementEnd
