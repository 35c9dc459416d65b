package store

import (
	"stoa/internal/database"

	"context"
	"database/sql"

	"stoa/internal/account"
)

// Account implements account.Store.
type Account struct {
	conn
}

var _ account.Store = (*Account)(nil)

// NewAccount returns the accounts' view of db.
func NewAccount(db *database.DB) *Account { return &Account{newConn(db)} }

// InTx implements account.Store.
func (a *Account) InTx(ctx context.Context, fn func(account.Store) error) error {
	return a.inTx(ctx, func(c conn) error { return fn(&Account{c}) })
}

// InShortTx implements account.Store.
func (a *Account) InShortTx(ctx context.Context, fn func(account.Store) error) error {
	return a.inShortTx(ctx, func(c conn) error { return fn(&Account{c}) })
}

// CreateUser implements account.Users.
func (a *Account) CreateUser(ctx context.Context, c account.Credentials) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO users (id, email, email_key, username, username_key, password_hash, role, avatar, referral_code, active, created_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		c.ID, c.Email, account.Key(c.Email), c.Username, account.Key(c.Username), c.PasswordHash, string(c.Role), c.Avatar, c.Referral, c.Active, database.Millis(c.CreatedAt))
	return a.Wrap(err, "User")
}

const userColumns = `u.id, u.email, u.username, u.password_hash, u.role, u.avatar, u.referral_code, u.active, u.created_at_ms`

// User implements account.Users.
func (a *Account) User(ctx context.Context, id string) (account.Credentials, error) {
	return a.user(a.Read.QueryRowContext(ctx, `SELECT `+userColumns+` FROM users u WHERE u.id = $1`+a.Lock("u"), id))
}

// UserByEmail implements account.Users.
func (a *Account) UserByEmail(ctx context.Context, key string) (account.Credentials, error) {
	return a.user(a.Read.QueryRowContext(ctx, `SELECT `+userColumns+` FROM users u WHERE u.email_key = $1`+a.Lock("u"), key))
}

func (a *Account) user(row *sql.Row) (account.Credentials, error) {
	c, err := scanUser(row)
	return c, a.Wrap(err, "User")
}

// SetPassword implements account.Users.
func (a *Account) SetPassword(ctx context.Context, id, hash string) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE users SET password_hash = $1 WHERE id = $2`, hash, id)
	return database.Affected(res, err, "User")
}

// SetActive implements account.Users.
func (a *Account) SetActive(ctx context.Context, id string, active bool) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE users SET active = $1 WHERE id = $2`, active, id)
	return database.Affected(res, err, "User")
}

// HasAdmin implements account.Users.
func (a *Account) HasAdmin(ctx context.Context) (bool, error) {
	var has bool
	err := a.Read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE role = 'ADMIN' AND active)`).Scan(&has)
	return has, err
}
