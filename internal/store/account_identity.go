package store

import (
	"context"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/data/database"
)

// CreateIdentity implements account.Identities.
func (a *Account) CreateIdentity(ctx context.Context, i account.Identity) error {
	res, err := a.Write.ExecContext(ctx, `
		INSERT INTO identities (id, user_id, provider_id, issuer, subject, generation, email, created_at_ms, last_used_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
		i.ID, i.UserID, i.ProviderID, i.Issuer, i.Subject, i.Generation, i.Email, database.Millis(i.CreatedAt),
		sinceEpoch(i.LastUsedAt))
	if err = database.Affected(res, err, "Identity"); errs.KindOf(err) == errs.NotFound {
		return errIdentityKnown
	}
	return err
}

var errIdentityKnown = errs.New(errs.Conflict, "CONFLICT", "Somebody has this identity.")

const selectIdentities = `
	SELECT id, user_id, provider_id, issuer, subject, generation, email, created_at_ms, last_used_at_ms FROM identities`

func scanIdentity(row database.Scanner) (i account.Identity, err error) {
	var used int64
	err = row.Scan(&i.ID, &i.UserID, &i.ProviderID, &i.Issuer, &i.Subject, &i.Generation, &i.Email,
		database.ScanMillis(&i.CreatedAt), &used)
	i.LastUsedAt = fromEpoch(used)
	return i, err
}

// IdentityWith implements account.Identities.
func (a *Account) IdentityWith(ctx context.Context, issuer, subject string) (account.Identity, error) {
	i, err := scanIdentity(a.Read.QueryRowContext(ctx, selectIdentities+` WHERE issuer = $1 AND subject = $2`,
		issuer, subject))
	return i, a.Wrap(err, "Identity")
}

// IdentitiesOf implements account.Identities.
func (a *Account) IdentitiesOf(ctx context.Context, userID string) ([]account.Identity, error) {
	return database.All(ctx, a.Read, scanIdentity, selectIdentities+` WHERE user_id = $1 ORDER BY created_at_ms, id`,
		userID)
}

// UseIdentity implements account.Identities.
func (a *Account) UseIdentity(ctx context.Context, i account.Identity) error {
	res, err := a.Write.ExecContext(ctx, `
		UPDATE identities SET provider_id = $1, email = $2, last_used_at_ms = $3 WHERE id = $4 AND user_id = $5`,
		i.ProviderID, i.Email, sinceEpoch(i.LastUsedAt), i.ID, i.UserID)
	return database.Affected(res, err, "Identity")
}

// DeleteIdentity implements account.Identities.
func (a *Account) DeleteIdentity(ctx context.Context, userID, id string) error {
	res, err := a.Write.ExecContext(ctx, `DELETE FROM identities WHERE id = $1 AND user_id = $2`, id, userID)
	return database.Affected(res, err, "Identity")
}

// UserByMailbox implements account.Identities.
func (a *Account) UserByMailbox(ctx context.Context, key string) (account.Credentials, error) {
	// The second condition is that of the index users_mailbox.
	return a.userBy(ctx, `u.id = (
		SELECT id FROM users WHERE mailbox_key = $1 AND mailbox_key <> '' ORDER BY created_at_ms, id LIMIT 1)`, key)
}

const flowColumns = `state_hash, cookie_hash, provider_id, mode, COALESCE(user_id, ''), COALESCE(session_id, ''),
	generation, COALESCE(username, ''), nonce, verifier_sealed, return_to, result_sealed, COALESCE(code_hash, ''), tries,
	created_at_ms`

func (a *Account) scanFlow(row database.Scanner) (account.Flow, error) {
	var f account.Flow
	err := row.Scan(&f.State, &f.Cookie, &f.ProviderID, &f.Mode, &f.UserID, &f.SessionID, &f.Generation, &f.Username,
		&f.Nonce, &f.Verifier, &f.ReturnTo, &f.Result, &f.Code, &f.Tries, database.ScanMillis(&f.CreatedAt))
	if err != nil {
		return account.Flow{}, a.Wrap(err, "Flow")
	}
	return f, nil
}

// CreateFlow implements account.Identities.
func (a *Account) CreateFlow(ctx context.Context, f account.Flow) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO oidc_flows (state_hash, cookie_hash, provider_id, mode, user_id, session_id, generation, username, nonce,
			verifier_sealed, return_to, result_sealed, code_hash, tries, created_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		f.State, f.Cookie, f.ProviderID, string(f.Mode), database.NullText(f.UserID), database.NullText(f.SessionID),
		f.Generation, database.NullText(f.Username), f.Nonce, f.Verifier, f.ReturnTo, f.Result, database.NullText(f.Code),
		f.Tries, database.Millis(f.CreatedAt))
	return a.Wrap(err, "Flow")
}

// FlowOf implements account.Identities.
func (a *Account) FlowOf(ctx context.Context, cookie string) (account.Flow, error) {
	return a.scanFlow(a.Read.QueryRowContext(ctx, `SELECT `+flowColumns+` FROM oidc_flows WHERE cookie_hash = $1`, cookie))
}

// TakeFlow implements account.Identities.
func (a *Account) TakeFlow(ctx context.Context, state string) (account.Flow, error) {
	return a.scanFlow(a.Write.QueryRowContext(ctx, `DELETE FROM oidc_flows WHERE state_hash = $1 RETURNING `+flowColumns,
		state))
}

// KeepResult implements account.Identities.
func (a *Account) KeepResult(ctx context.Context, state, sealed string) error {
	res, err := a.Write.ExecContext(ctx,
		`UPDATE oidc_flows SET result_sealed = $1 WHERE state_hash = $2 AND result_sealed = ''`, sealed, state)
	return database.Affected(res, err, "Flow")
}
