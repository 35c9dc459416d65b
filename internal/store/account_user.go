package store

import (
	"context"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/mailbox"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
)

// CreateUser implements account.Users.
func (a *Account) CreateUser(ctx context.Context, c account.Credentials) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO users (id, email, email_key, username, username_key, password_hash, role, avatar, referral_code,
			active, created_at_ms, mailbox_key, email_proven_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		c.ID, c.Email, account.Key(c.Email), c.Username, account.Key(c.Username), c.PasswordHash, string(c.Role), c.Avatar,
		c.Referral, c.Active, database.Millis(c.CreatedAt), mailbox.Key(c.Email), sinceEpoch(c.ProvenAt))
	return a.Wrap(err, "User")
}

const userColumns = `u.id, u.email, u.username, u.password_hash, u.role, u.avatar, u.referral_code, u.active,
	u.created_at_ms, u.email_proven_at_ms, u.breached_at_ms, u.generation, u.password_once, u.deletion_at_ms,
	COALESCE(u.language, '')`

// isActive says whether a user may sign in: account.User.Active.
const isActive = `(u.active AND u.deletion_at_ms = 0)`

// scanUser reads one row of userColumns.
func scanUser(row database.Scanner) (account.Credentials, error) {
	var c account.Credentials
	var proven, breached, deletion int64
	err := row.Scan(&c.ID, &c.Email, &c.Username, &c.PasswordHash, &c.Role, &c.Avatar, &c.Referral, &c.Active,
		database.ScanMillis(&c.CreatedAt), &proven, &breached, &c.Generation, &c.PasswordOnce, &deletion, &c.Language)
	if proven != 0 {
		c.ProvenAt = time.UnixMilli(proven).UTC()
	}
	if breached != 0 {
		c.BreachedAt = time.UnixMilli(breached).UTC()
	}
	if deletion != 0 {
		c.DeletionAt = time.UnixMilli(deletion).UTC()
	}
	c.Active = c.Active && c.DeletionAt.IsZero() // see isActive
	return c, err
}

// User implements account.Users.
func (a *Account) User(ctx context.Context, id string) (account.Credentials, error) {
	return a.userBy(ctx, `u.id = $1`, id)
}

// Candidate implements account.Users. There is one row either way.
func (a *Account) Candidate(ctx context.Context, key string) (account.Credentials, error) {
	c, err := scanUser(a.Read.QueryRowContext(a.Brief(ctx), `SELECT `+userColumns+` FROM users u WHERE u.email_key = $1
		UNION ALL SELECT '', '', '', '', '', '', '', FALSE, 0, 0, 0, 0, FALSE, 0, '' LIMIT 1`, key))
	return c, a.Wrap(err, "User")
}

// UserByEmail implements account.Users.
func (a *Account) UserByEmail(ctx context.Context, key string) (account.Credentials, error) {
	return a.userBy(ctx, `u.email_key = $1`, key)
}

func (a *Account) userBy(ctx context.Context, condition, value string) (account.Credentials, error) {
	query := `SELECT ` + userColumns + ` FROM users u WHERE ` + condition + a.Lock("u")
	c, err := scanUser(a.Read.QueryRowContext(ctx, query, value))
	if err != nil {
		return account.Credentials{}, a.Wrap(err, "User")
	}
	return c, nil
}

// SetUsername implements account.Users.
func (a *Account) SetUsername(ctx context.Context, id, username string) error {
	defer a.Settle(ctx)
	res, err := a.Write.ExecContext(ctx, `UPDATE users SET username = $1, username_key = $2 WHERE id = $3`,
		username, account.Key(username), id)
	return database.Affected(res, a.Wrap(err, "User"), "User")
}

// Language implements account.Users.
func (a *Account) Language(ctx context.Context, id string) (tag string, err error) {
	err = a.Read.QueryRowContext(ctx, `SELECT COALESCE(language, '') FROM users WHERE id = $1`, id).Scan(&tag)
	return tag, a.Wrap(err, "User")
}

// SetLanguage implements account.Users.
func (a *Account) SetLanguage(ctx context.Context, id, tag string) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE users SET language = NULLIF($1, '') WHERE id = $2`, tag, id)
	return database.Affected(res, a.Wrap(err, "User"), "User")
}

// SetPassword implements account.Users.
func (a *Account) SetPassword(ctx context.Context, id, hash string) error {
	res, err := a.Write.ExecContext(ctx, `
		UPDATE users SET password_hash = $1, password_once = FALSE, breached_at_ms = 0 WHERE id = $2`, hash, id)
	return database.Affected(res, err, "User")
}

// SetPasswordOnce implements account.Users.
func (a *Account) SetPasswordOnce(ctx context.Context, id string) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE users SET password_once = TRUE WHERE id = $1`, id)
	return database.Affected(res, err, "User")
}

// Rehash implements account.Users.
func (a *Account) Rehash(ctx context.Context, id, hash string) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE users SET password_hash = $1 WHERE id = $2`, hash, id)
	return database.Affected(res, err, "User")
}

// SetBreached implements account.Users.
func (a *Account) SetBreached(ctx context.Context, id string, at time.Time) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE users SET breached_at_ms = $1 WHERE id = $2`, sinceEpoch(at), id)
	return database.Affected(res, err, "User")
}

// sinceEpoch returns a time in a column where 0 stands for none.
func sinceEpoch(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// SetActive implements account.Users.
func (a *Account) SetActive(ctx context.Context, id string, active bool) error {
	defer a.Settle(ctx)
	res, err := a.Write.ExecContext(ctx, `UPDATE users SET active = $1 WHERE id = $2`, active, id)
	return database.Affected(res, err, "User")
}

// SetRole implements account.Users.
func (a *Account) SetRole(ctx context.Context, id string, role reqctx.Role) error {
	defer a.Settle(ctx)
	res, err := a.Write.ExecContext(ctx, `UPDATE users SET role = $1 WHERE id = $2`, string(role), id)
	return database.Affected(res, err, "User")
}

// RaiseGeneration implements account.Users.
func (a *Account) RaiseGeneration(ctx context.Context, id string) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE users SET generation = generation + 1 WHERE id = $1`, id)
	return database.Affected(res, err, "User")
}

// ListUsers implements account.Users.
func (a *Account) ListUsers(ctx context.Context, q account.UserQuery) ([]account.User, int, error) {
	where := userWhere(q)
	var total int
	if follow(&where, "u", "<", q.After) {
		q.Sort, q.Offset = "", 0
	} else if err := a.Read.QueryRowContext(ctx,
		`SELECT count(*) FROM users u`+where.String(), where.Args()...).Scan(&total); err != nil {
		return nil, 0, err
	}
	page, args := where.Page(q.Limit, q.Offset)
	list, err := database.All(ctx, a.Read, func(row database.Scanner) (account.User, error) {
		c, err := scanUser(row)
		return c.User, err
	}, `SELECT `+userColumns+` FROM users u`+where.String()+userOrders.by(q.Sort, "-created")+page, args...)
	return list, total, err
}

// userWhere returns the conditions of a query.
func userWhere(q account.UserQuery) (w database.Where) {
	switch {
	case q.Search != "" && q.Masked:
		w.And(`(u.username_key LIKE $1 ESCAPE '~' OR u.id LIKE $2 ESCAPE '~')`, search(q.Search)[:2]...)
	case q.Search != "":
		w.And(`(u.email_key LIKE $1 ESCAPE '~' OR u.username_key LIKE $1 ESCAPE '~' OR u.id LIKE $2 ESCAPE '~'
			OR u.id IN (SELECT user_id FROM licenses WHERE key_tail = $3))`, searchBy(q.Search, q.NoTails)...)
	}
	if q.Role != "" {
		w.And(`u.role = $1`, string(q.Role))
	}
	if q.Staff {
		w.And(`u.role <> 'USER'`)
	}
	if q.Active != nil {
		w.And(isActive+` = $1`, *q.Active)
	}
	return w
}

// HasAdmin implements account.Users.
func (a *Account) HasAdmin(ctx context.Context) (bool, error) {
	var has bool
	err := a.Read.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM users u WHERE u.role = 'ADMIN' AND `+isActive+`)`).Scan(&has)
	return has, err
}

// LockAdmins implements account.Users.
func (a *Account) LockAdmins(ctx context.Context) ([]string, error) {
	// Sorted, so that no two transactions each hold a lock that the other waits for.
	// PostgreSQL checks the condition again once it has a row's lock, so a user who
	// stopped being an administrator meanwhile is left out.
	return database.Texts(ctx, a.Read,
		`SELECT u.id FROM users u WHERE u.role = 'ADMIN' AND `+isActive+` ORDER BY u.id`+a.Lock("u"))
}
