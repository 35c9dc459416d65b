package store

import (
	"context"
	"strings"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/passkey"
	"stoa/internal/base/errs"
	"stoa/internal/data/database"
)

// Handle implements account.Passkeys.
func (a *Account) Handle(ctx context.Context, userID string, fresh []byte) (handle []byte, err error) {
	_, err = a.Write.ExecContext(ctx, `
		INSERT INTO webauthn_handles (user_id, handle) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING`, userID, fresh)
	if err != nil {
		return nil, err
	}
	err = a.Read.QueryRowContext(ctx, `SELECT handle FROM webauthn_handles WHERE user_id = $1`, userID).Scan(&handle)
	return handle, err
}

// CreateCeremony implements account.Passkeys.
func (a *Account) CreateCeremony(ctx context.Context, c account.Ceremony) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO ceremonies (challenge_hash, kind, user_id, session_id, sign_in_challenge, created_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		c.Hash, string(c.Kind), database.NullText(c.UserID), database.NullText(c.SessionID), database.NullText(c.SignIn),
		database.Millis(c.CreatedAt))
	return a.Wrap(err, "Ceremony")
}

// TakeCeremony implements account.Passkeys.
func (a *Account) TakeCeremony(ctx context.Context, c account.Ceremony, since time.Time) error {
	var at int64
	err := a.Write.QueryRowContext(ctx, `
		DELETE FROM ceremonies
		WHERE challenge_hash = $1 AND kind = $2 AND COALESCE(user_id, '') = $3 AND COALESCE(session_id, '') = $4
			AND COALESCE(sign_in_challenge, '') = $5 AND created_at_ms > $6
		RETURNING created_at_ms`,
		c.Hash, string(c.Kind), c.UserID, c.SessionID, c.SignIn, sinceEpoch(since)).Scan(&at)
	return a.Wrap(err, "Ceremony")
}

// CreatePasskey implements account.Passkeys.
func (a *Account) CreatePasskey(ctx context.Context, p account.Passkey) error {
	c := p.Credential
	res, err := a.Write.ExecContext(ctx, `
		INSERT INTO passkeys (id, user_id, credential_id, public_key, alg, sign_count, aaguid, backup_eligible, backed_up,
			transports, rp_id, name, created_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT (credential_id) DO NOTHING`,
		p.ID, p.UserID, c.ID, c.PublicKey, c.Algorithm, int64(c.Counter), c.AAGUID, c.BackupEligible, c.BackedUp,
		strings.Join(c.Transports, ","), p.PartyID, p.Name, database.Millis(p.CreatedAt))
	if err = database.Affected(res, err, "Passkey"); errs.KindOf(err) == errs.NotFound {
		return errPasskeyKnown
	}
	return err
}

var errPasskeyKnown = errs.New(errs.Conflict, "CONFLICT", "Somebody has this passkey.")

//nolint:gosec // SQL, not a secret
const selectPasskeys = `
	SELECT p.id, p.user_id, p.credential_id, p.public_key, p.alg, p.sign_count, p.aaguid, p.backup_eligible, p.backed_up,
		p.transports, p.rp_id, p.name, p.created_at_ms, p.last_used_at_ms, h.handle
	FROM passkeys p
	JOIN webauthn_handles h ON h.user_id = p.user_id`

func scanPasskey(row database.Scanner) (p account.Passkey, err error) {
	var transports string
	var used int64
	c := &p.Credential
	err = row.Scan(&p.ID, &p.UserID, &c.ID, &c.PublicKey, &c.Algorithm, &c.Counter, &c.AAGUID, &c.BackupEligible,
		&c.BackedUp, &transports, &p.PartyID, &p.Name, database.ScanMillis(&p.CreatedAt), &used, &p.Handle)
	if transports != "" {
		c.Transports = strings.Split(transports, ",")
	}
	p.LastUsedAt = fromEpoch(used)
	return p, err
}

// PasskeyWith implements account.Passkeys.
func (a *Account) PasskeyWith(ctx context.Context, credentialID string) (account.Passkey, error) {
	p, err := scanPasskey(a.Read.QueryRowContext(ctx, selectPasskeys+` WHERE p.credential_id = $1`, credentialID))
	return p, a.Wrap(err, "Passkey")
}

// PasskeysOf implements account.Passkeys.
func (a *Account) PasskeysOf(ctx context.Context, userID string) ([]account.Passkey, error) {
	return database.All(ctx, a.Read, scanPasskey, selectPasskeys+` WHERE p.user_id = $1 ORDER BY p.created_at_ms, p.id`,
		userID)
}

// RenamePasskey implements account.Passkeys.
func (a *Account) RenamePasskey(ctx context.Context, userID, id, name string) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE passkeys SET name = $1 WHERE id = $2 AND user_id = $3`, name, id, userID)
	return database.Affected(res, err, "Passkey")
}

// UsePasskey implements account.Passkeys.
func (a *Account) UsePasskey(ctx context.Context, id string, u passkey.Use, at time.Time) error {
	_, err := a.Write.ExecContext(ctx,
		`UPDATE passkeys SET sign_count = $1, backed_up = $2, last_used_at_ms = $3 WHERE id = $4`,
		int64(u.Counter), u.BackedUp, sinceEpoch(at), id)
	return err
}

// DeletePasskey implements account.Passkeys.
func (a *Account) DeletePasskey(ctx context.Context, userID, id string) error {
	_, err := a.Write.ExecContext(ctx, `DELETE FROM passkeys WHERE id = $1 AND user_id = $2`, id, userID)
	return err
}

// EndSessionsBy implements account.Passkeys. Methods have no letters that LIKE reads otherwise.
func (a *Account) EndSessionsBy(ctx context.Context, userID, method, except string) error {
	defer a.Settle(ctx)
	const resting = ` user_id = $1 AND id <> $2 AND ',' || methods || ',' LIKE $3`
	args := []any{userID, except, "%," + method + ",%"}
	_, err := a.Write.ExecContext(ctx, `
		DELETE FROM known_devices WHERE user_id = $1 AND id IN (SELECT device_id FROM sessions WHERE`+resting+`)`, args...)
	if err != nil {
		return err
	}
	_, err = a.Write.ExecContext(ctx, `DELETE FROM sessions WHERE`+resting, args...)
	return err
}

// ForeignPasskeys implements account.Passkeys.
func (a *Account) ForeignPasskeys(ctx context.Context, partyID string) (n int, err error) {
	err = a.Read.QueryRowContext(ctx, `SELECT count(*) FROM passkeys WHERE rp_id <> $1`, partyID).Scan(&n)
	return n, err
}

// HasIdentity implements account.Passkeys.
func (a *Account) HasIdentity(ctx context.Context, userID string) (has bool, err error) {
	err = a.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM identities i JOIN users u ON u.id = i.user_id
			JOIN identity_providers p ON p.issuer = i.issuer AND p.enabled AND (p.staff OR u.role = 'USER')
			WHERE i.user_id = $1)`, userID).Scan(&has)
	return has, err
}
