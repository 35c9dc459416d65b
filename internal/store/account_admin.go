package store

import (
	"stoa/internal/database"

	"context"
	"database/sql"
	"fmt"
	"strings"

	"stoa/internal/account"
	"stoa/internal/caller"
)

// SetRole implements account.Users.
func (a *Account) SetRole(ctx context.Context, id string, role caller.Role) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE users SET role = $1 WHERE id = $2`, string(role), id)
	return database.Affected(res, err, "User")
}

// ListUsers implements account.Users.
func (a *Account) ListUsers(ctx context.Context, q account.UserQuery) ([]account.User, int, error) {
	where, args := userWhere(q)
	var total int
	if err := a.Read.QueryRowContext(ctx, `SELECT count(*) FROM users u`+where, args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := a.Read.QueryContext(ctx, `SELECT `+userColumns+` FROM users u`+where+fmt.Sprintf(`
		ORDER BY u.created_at_ms DESC, u.id DESC
		LIMIT $%d OFFSET $%d`, len(args)+1, len(args)+2), append(args, q.Limit, q.Offset)...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()

	list := []account.User{}
	for rows.Next() {
		c, err := scanUser(rows)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, c.User)
	}
	return list, total, rows.Err()
}

// likeText makes every character of a LIKE pattern stand for itself.
var likeText = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// userWhere returns the WHERE clause of a query and its arguments.
func userWhere(q account.UserQuery) (where string, args []any) {
	var terms []string
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	if q.Search != "" {
		s := arg("%" + likeText.Replace(account.Key(q.Search)) + "%")
		terms = append(terms, `(u.email_key LIKE `+s+` ESCAPE '\' OR u.username_key LIKE `+s+` ESCAPE '\')`)
	}
	if q.Role != "" {
		terms = append(terms, "u.role = "+arg(string(q.Role)))
	}
	if q.Active != nil {
		terms = append(terms, "u.active = "+arg(*q.Active))
	}
	if len(terms) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(terms, " AND "), args
}

// LockAdmins implements account.Users.
func (a *Account) LockAdmins(ctx context.Context) ([]string, error) {
	// In the order of ids, so that no two transactions each hold what the other
	// wants. PostgreSQL looks at a row again once it has its lock: what stopped
	// being an administrator meanwhile is left out.
	return database.Texts(ctx, a.Read, `SELECT u.id FROM users u WHERE u.role = 'ADMIN' AND u.active ORDER BY u.id`+a.Lock("u"))
}

// setupSetting is the setting that holds the hash of the set-up token.
const setupSetting = "setup_token"

// PutSetup implements account.SetupTokens.
func (a *Account) PutSetup(ctx context.Context, hash string) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, setupSetting, hash)
	return err
}

// HasSetup implements account.SetupTokens.
func (a *Account) HasSetup(ctx context.Context, hash string) (bool, error) {
	var has bool
	err := a.Read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM settings WHERE name = $1 AND value = $2)`, setupSetting, hash).Scan(&has)
	return has, err
}

// TakeSetup implements account.SetupTokens.
func (a *Account) TakeSetup(ctx context.Context, hash string) error {
	res, err := a.Write.ExecContext(ctx, `DELETE FROM settings WHERE name = $1 AND value = $2`, setupSetting, hash)
	return database.Affected(res, err, "Set-up token")
}

// DropSetup implements account.SetupTokens.
func (a *Account) DropSetup(ctx context.Context) error {
	_, err := a.Write.ExecContext(ctx, `DELETE FROM settings WHERE name = $1`, setupSetting)
	return err
}

// scanUser reads one row of userColumns.
func scanUser(row database.Scanner) (account.Credentials, error) {
	var (
		c       account.Credentials
		created sql.NullInt64
	)
	err := row.Scan(&c.ID, &c.Email, &c.Username, &c.PasswordHash, &c.Role, &c.Avatar, &c.Referral, &c.Active, &created)
	if err != nil {
		return account.Credentials{}, err
	}
	c.CreatedAt = fromMillis(created)
	return c, nil
}
