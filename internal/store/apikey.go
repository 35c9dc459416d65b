package store

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/apikey"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
)

// Keys implements apikey.Store.
type Keys struct{ *Account }

var _ apikey.Store = Keys{}

// Keys returns the keys beside the users of a: what ends one is settled as what ends a session.
func (a *Account) Keys() Keys { return Keys{a} }

// InTx implements apikey.Store.
func (k Keys) InTx(ctx context.Context, fn func(apikey.Store) error) error {
	return k.settled(ctx, k.Conn.InTx, func(tx *Account) error { return fn(Keys{tx}) })
}

// Owner implements apikey.Store.
func (k Keys) Owner(ctx context.Context, userID string, now time.Time) (apikey.Owner, error) {
	c, err := k.User(ctx, userID)
	if err != nil {
		return apikey.Owner{}, err
	}
	own, err := k.ownRole(ctx, string(c.Role))
	if err != nil {
		return apikey.Owner{}, err
	}
	back, err := k.MailTokensOf(ctx, userID, account.LinkRevert)
	return apikey.Owner{
		ID: c.ID, Email: c.Email, Username: c.Username, Role: c.Role, Rights: permission.OfRole(string(c.Role), own),
		Active: c.Active, Proven: !c.ProvenAt.IsZero(), Language: c.Language, Former: account.FormerAddresses(back, now),
	}, err
}

// InSession implements apikey.Store.
func (k Keys) InSession(ctx context.Context, sessionID string) error {
	_, err := k.Session(ctx, sessionID)
	return err
}

// ownRole returns the permissions of a role that is not built in, and "" for others.
func (k Keys) ownRole(ctx context.Context, name string) (permissions string, err error) {
	err = k.Read.QueryRowContext(ctx, `
		SELECT COALESCE(max(permissions), '') FROM roles WHERE name = $1`, name).Scan(&permissions)
	return permissions, err
}

//nolint:gosec // SQL, not a secret
const apiKeyColumns = `k.id, COALESCE(k.user_id, ''), COALESCE(k.service_account_id, ''), k.name, k.scopes,
	k.secret_hash, COALESCE(k.previous_hash, ''), NULLIF(k.previous_until_ms, 0), NULLIF(k.renewed_at_ms, 0),
	k.created_at_ms, k.expires_at_ms, NULLIF(k.last_used_at_ms, 0),
	k.last_address, k.created_by, k.creator_permissions, NULLIF(k.revoked_at_ms, 0)`

// scanKey reads apiKeyColumns, and more columns behind them.
func scanKey(row database.Scanner, more ...any) (k apikey.Key, err error) {
	var scopes, ceiling string
	targets := []any{
		&k.ID, &k.UserID, &k.AccountID, &k.Name, &scopes, &k.Hash, &k.Previous, database.ScanMillis(&k.PreviousUntil),
		database.ScanMillis(&k.RenewedAt),
		database.ScanMillis(&k.CreatedAt), database.ScanMillis(&k.ExpiresAt), database.ScanMillis(&k.LastUsedAt),
		&k.LastAddress, &k.Creator, &ceiling, database.ScanMillis(&k.RevokedAt),
	}
	err = row.Scan(append(targets, more...)...)
	k.Scopes, k.Ceiling = apikey.ParseScopes(scopes), permission.Parse(ceiling)
	return k, err
}

// KeyHolder implements account.KeyStore.
func (a *Account) KeyHolder(ctx context.Context, id string) (h apikey.Holder, err error) {
	var active sql.NullBool
	var role, own sql.NullString
	h.Key, err = scanKey(a.Read.QueryRowContext(a.Brief(ctx), `
		SELECT `+apiKeyColumns+`, u.active AND u.deletion_at_ms = 0, u.role,
			(SELECT r.permissions FROM roles r WHERE r.name = u.role)
		FROM api_keys k LEFT JOIN users u ON u.id = k.user_id WHERE k.id = $1`, id), &active, &role, &own)
	h.Active, h.Role = active.Bool, reqctx.Role(role.String)
	if role.Valid {
		h.Rights = permission.OfRole(role.String, own.String)
	}
	return h, a.Wrap(err, "Key")
}

// EndKeys implements account.KeyStore.
func (a *Account) EndKeys(ctx context.Context, userID string, keep []string, at time.Time) error {
	defer a.Settle(ctx)
	var w database.Where
	w.And(`user_id = $1 AND revoked_at_ms = 0`, userID)
	for _, id := range slices.Compact(slices.Sorted(slices.Values(keep))) {
		w.And(`id <> $1`, id)
	}
	args := append(slices.Clip(w.Args()), sinceEpoch(at))
	_, err := a.Write.ExecContext(ctx, `UPDATE api_keys SET revoked_at_ms = $`+strconv.Itoa(len(args))+w.String(), args...)
	return err
}

// CreateKey implements apikey.Store.
func (k Keys) CreateKey(ctx context.Context, key apikey.Key) error {
	_, err := k.Write.ExecContext(ctx, `
		INSERT INTO api_keys (id, user_id, service_account_id, name, scopes, secret_hash, created_at_ms, expires_at_ms,
			created_by, creator_permissions)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		key.ID, database.NullText(key.UserID), database.NullText(key.AccountID), key.Name, key.Scopes.String(), key.Hash,
		database.Millis(key.CreatedAt), database.Millis(key.ExpiresAt), key.Creator, key.Ceiling.String())
	return k.Wrap(err, "Key")
}

// Key implements apikey.Store.
func (k Keys) Key(ctx context.Context, id string) (apikey.Key, error) {
	key, err := scanKey(k.Read.QueryRowContext(ctx, `
		SELECT `+apiKeyColumns+` FROM api_keys k WHERE k.id = $1`+k.Lock("k"), id))
	return key, k.Wrap(err, "Key")
}

// KeysOf implements apikey.Store.
func (k Keys) KeysOf(ctx context.Context, userID, accountID string) ([]apikey.Key, error) {
	return database.All(ctx, k.Read, func(row database.Scanner) (apikey.Key, error) { return scanKey(row) }, `
		SELECT `+apiKeyColumns+` FROM api_keys k
		WHERE (k.user_id = $1 OR k.service_account_id = $2) AND k.revoked_at_ms = 0
		ORDER BY k.created_at_ms DESC, k.id`, database.NullText(userID), database.NullText(accountID))
}

// listed selects keys with who has them, and what their user, or else their creator, may: see isActive.
const listed = `SELECT ` + apiKeyColumns + `,
		COALESCE(u.username, s.name, ''), COALESCE(b.active AND b.deletion_at_ms = 0, FALSE), COALESCE(b.role, ''),
		COALESCE((SELECT r.permissions FROM roles r WHERE r.name = b.role), '')
	FROM api_keys k LEFT JOIN users u ON u.id = k.user_id LEFT JOIN service_accounts s ON s.id = k.service_account_id
	LEFT JOIN users b ON b.id = COALESCE(k.user_id, k.created_by)`

func scanListed(row database.Scanner) (l apikey.Listed, err error) {
	var active bool
	var role, own string
	l.Key, err = scanKey(row, &l.Holder, &active, &role, &own)
	switch {
	case active:
		l.Rights = permission.OfRole(role, own)
	case l.Kind() == apikey.Service && role == "": // a service made it
		l.Rights = permission.All()
	}
	return l, err
}

// ListKeys implements apikey.Store.
func (k Keys) ListKeys(ctx context.Context, q apikey.Query) ([]apikey.Listed, int, error) {
	var where database.Where
	where.And(`k.revoked_at_ms = 0`)
	switch q.Kind {
	case "personal":
		where.And(`k.user_id IS NOT NULL`)
	case "service":
		where.And(`k.user_id IS NULL`)
	}
	var total int
	if err := k.Read.QueryRowContext(ctx, `SELECT count(*) FROM api_keys k`+where.String(),
		where.Args()...).Scan(&total); err != nil {
		return nil, 0, err
	}
	page, args := where.Page(q.Limit, q.Offset)
	list, err := database.All(ctx, k.Read, scanListed,
		listed+where.String()+` ORDER BY k.created_at_ms DESC, k.id`+page, args...)
	return list, total, err
}

// ListedKey implements apikey.Store.
func (k Keys) ListedKey(ctx context.Context, id string) (apikey.Listed, error) {
	l, err := scanListed(k.Read.QueryRowContext(ctx, listed+` WHERE k.id = $1 AND k.revoked_at_ms = 0`, id))
	return l, k.Wrap(err, "Key")
}

// RenameKey implements apikey.Store.
func (k Keys) RenameKey(ctx context.Context, id, name string) error {
	res, err := k.Write.ExecContext(ctx, `UPDATE api_keys SET name = $1 WHERE id = $2 AND revoked_at_ms = 0`, name, id)
	return database.Affected(res, err, "Key")
}

// RevokeKey implements apikey.Store.
func (k Keys) RevokeKey(ctx context.Context, id string, at time.Time) error {
	defer k.Settle(ctx)
	res, err := k.Write.ExecContext(ctx, `UPDATE api_keys SET revoked_at_ms = $1 WHERE id = $2 AND revoked_at_ms = 0`,
		sinceEpoch(at), id)
	return database.Affected(res, err, "Key")
}

// ReplaceSecret implements apikey.Store.
func (k Keys) ReplaceSecret(ctx context.Context, key apikey.Key, before string) error {
	defer k.Settle(ctx)
	res, err := k.Write.ExecContext(ctx, `
		UPDATE api_keys SET secret_hash = $1, previous_hash = $2, previous_until_ms = $3, expires_at_ms = $4, created_by = $5,
			creator_permissions = $6, renewed_at_ms = $7
		WHERE id = $8 AND secret_hash = $9 AND revoked_at_ms = 0`,
		key.Hash, key.Previous, sinceEpoch(key.PreviousUntil), database.Millis(key.ExpiresAt), key.Creator,
		key.Ceiling.String(), sinceEpoch(key.RenewedAt), key.ID, before)
	return database.Affected(res, err, "Key")
}

// CreateAccount implements apikey.Store.
func (k Keys) CreateAccount(ctx context.Context, a apikey.Account) error {
	_, err := k.Write.ExecContext(ctx,
		`INSERT INTO service_accounts (id, name, created_by, created_at_ms) VALUES ($1, $2, $3, $4)`,
		a.ID, a.Name, a.CreatedBy, database.Millis(a.CreatedAt))
	return k.Wrap(err, "Service account")
}

// ServiceAccount implements apikey.Store.
func (k Keys) ServiceAccount(ctx context.Context, id string) (a apikey.Account, err error) {
	err = k.Read.QueryRowContext(ctx, `
		SELECT a.id, a.name, a.created_by, a.created_at_ms FROM service_accounts a WHERE a.id = $1`+k.Lock("a"), id,
	).Scan(&a.ID, &a.Name, &a.CreatedBy, database.ScanMillis(&a.CreatedAt))
	return a, k.Wrap(err, "Service account")
}

// ServiceAccounts implements apikey.Store.
func (k Keys) ServiceAccounts(ctx context.Context, now time.Time) ([]apikey.Account, error) {
	return database.All(ctx, k.Read, func(row database.Scanner) (a apikey.Account, err error) {
		err = row.Scan(&a.ID, &a.Name, &a.CreatedBy, database.ScanMillis(&a.CreatedAt), &a.Keys)
		return a, err
	}, `
		SELECT a.id, a.name, a.created_by, a.created_at_ms,
			(SELECT count(*) FROM api_keys k WHERE k.service_account_id = a.id
			AND k.revoked_at_ms = 0 AND (k.expires_at_ms IS NULL OR k.expires_at_ms > $1))
		FROM service_accounts a ORDER BY a.name`, database.Millis(now))
}

// DeleteAccount implements apikey.Store.
func (k Keys) DeleteAccount(ctx context.Context, id string) error {
	defer k.Settle(ctx)
	res, err := k.Write.ExecContext(ctx, `DELETE FROM service_accounts WHERE id = $1`, id)
	return database.Affected(res, err, "Service account")
}

// Used implements apikey.Store.
func (k Keys) Used(ctx context.Context, id string, at time.Time, address string) (noted, known bool, err error) {
	var last string
	err = k.Read.QueryRowContext(ctx, `SELECT k.last_address FROM api_keys k
		WHERE k.id = $1 AND k.last_used_at_ms <= $2`+k.Lock("k"), id, at.Add(-time.Minute).UnixMilli()).Scan(&last)
	if err == sql.ErrNoRows { //nolint:errorlint // of this very query
		return false, false, nil
	} else if err != nil {
		return false, false, err
	}
	_, err = k.Write.ExecContext(ctx, `UPDATE api_keys SET last_used_at_ms = $1, last_address = $2 WHERE id = $3`,
		at.UnixMilli(), address, id)
	if err != nil || last == address {
		return true, last == address, err
	}
	err = k.Read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM audit_log
		WHERE action = 'apikey.first_use_from_address' AND target_id = $1 AND address = $2)`, id, address).Scan(&known)
	return true, known, err
}
