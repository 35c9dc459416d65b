package store

import (
	"context"
	"strings"
	"time"

	"stoa/internal/account/staff"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
)

// Staff implements staff.Store.
type Staff struct{ *Account }

var _ staff.Store = (*Staff)(nil)

// NewStaff returns the roles beside those accounts. Whoever waits for the end of sessions (OnEnd) waits for changes to
// roles, too.
func NewStaff(a *Account) *Staff { return &Staff{a} }

// InTx implements staff.Store.
func (s *Staff) InTx(ctx context.Context, fn func(staff.Store) error) error {
	inTurn := func(ctx context.Context, fn func(database.Conn) error) error { return s.InTurn(ctx, "roles", fn) }
	return s.settled(ctx, inTurn, func(tx *Account) error { return fn(&Staff{tx}) })
}

// Roles implements staff.Roles.
func (s *Staff) Roles(ctx context.Context) ([]staff.Role, error) {
	return database.All(ctx, s.Read, scanRole, `SELECT name, permissions, created_at_ms FROM roles ORDER BY name`)
}

func scanRole(row database.Scanner) (r staff.Role, err error) {
	var names string
	err = row.Scan(&r.Name, &names, database.ScanMillis(&r.CreatedAt))
	for _, name := range strings.Fields(names) {
		r.Permissions = append(r.Permissions, permission.Name(name))
	}
	return r, err
}

// OwnRole implements staff.Roles.
func (s *Staff) OwnRole(ctx context.Context, name string) (staff.Role, error) {
	return s.ownRole(ctx, name, s.Lock("r"))
}

func (a *Account) ownRole(ctx context.Context, name, lock string) (staff.Role, error) {
	r, err := scanRole(a.Read.QueryRowContext(ctx,
		`SELECT name, permissions, created_at_ms FROM roles r WHERE name = $1`+lock, name))
	return r, a.Wrap(err, "Role")
}

// PutRole implements staff.Roles.
func (s *Staff) PutRole(ctx context.Context, r staff.Role) error {
	defer s.Settle(ctx)
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO roles (name, permissions, created_at_ms) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET permissions = excluded.permissions`,
		r.Name, permission.Join(r.Permissions), database.Millis(r.CreatedAt))
	return err
}

// DeleteRole implements staff.Roles.
func (s *Staff) DeleteRole(ctx context.Context, name string) error {
	defer s.Settle(ctx)
	res, err := s.Write.ExecContext(ctx, `DELETE FROM roles WHERE name = $1`, name)
	return database.Affected(res, err, "Role")
}

// Holders implements staff.Roles.
func (s *Staff) Holders(ctx context.Context) (map[string]int, error) {
	holders := make(map[string]int)
	_, err := database.All(ctx, s.Read, func(row database.Scanner) (struct{}, error) {
		var role string
		var n int
		err := row.Scan(&role, &n)
		holders[role] = n
		return struct{}{}, err
	}, `SELECT role, count(*) FROM users WHERE role <> 'USER' GROUP BY role`)
	return holders, err
}

// IsOffered implements staff.Roles.
func (s *Staff) IsOffered(ctx context.Context, name string, now time.Time) (offered bool, err error) {
	err = s.Read.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1`+openInvitations+` AND i.role = $1 AND i.expires_at_ms > $2)`,
		name, database.Millis(now)).Scan(&offered)
	return offered, err
}

// RoleRights implements account.Users.
func (a *Account) RoleRights(ctx context.Context, role reqctx.Role) (permission.Set, error) {
	if rights, ok := permission.BuiltIn(string(role)); ok {
		return rights, nil
	}
	// Many read a role at once, and whoever changes one locks nothing else: so it does not matter whether it is locked
	// before or after a user.
	r, err := a.ownRole(ctx, string(role), a.LockShared("r"))
	return r.Rights(), err
}
