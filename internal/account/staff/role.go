package staff

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// maxRoles is how many own roles there may be.
const maxRoles = 50

// maxPermissions is how many permissions a role may have: each look-up of a session reads them.
const maxPermissions = 200

// Role is what people do at the shop, with what they need for it.
type Role struct {
	Name string
	// Permissions are as they were given. What they include is not among them.
	Permissions []permission.Name
	BuiltIn     bool
	Holders     int       // users with the role
	CreatedAt   time.Time // zero for built-in roles
}

// Rights are what the role allows.
func (r Role) Rights() permission.Set {
	return permission.OfRole(r.Name, permission.Join(r.Permissions))
}

// What may be wrong with a role.
var (
	ErrNoRole      = errs.New(errs.NotFound, "NOT_FOUND", "There is no such role.")
	ErrRoleTaken   = errs.New(errs.Conflict, "CONFLICT", "There is a role of this name already. Choose another name.")
	ErrBuiltIn     = errs.New(errs.Conflict, "CONFLICT", "Built-in roles cannot be changed. Make a role of your own.")
	ErrRoleOffered = errs.New(errs.Conflict, "ROLE_IN_USE",
		"Somebody is invited to this role. Revoke the invitation, or wait until it is accepted or ends.")
	ErrRoleInUse = errs.New(errs.Conflict, "ROLE_IN_USE",
		"Somebody has this role. Give everybody who has it another one first.")
	ErrManyRoles = errs.New(errs.Conflict, "TOO_MANY", "There are 50 roles of your own. Delete one first.")
)

// Roles is the part of Store about roles that are not built in.
type Roles interface {
	// Roles returns all of them, by name. Inside InTx no other is made until the transaction ends.
	Roles(ctx context.Context) ([]Role, error)

	// OwnRole returns the one with that name, or an errs.NotFound error. Inside InTx it stays locked until the
	// transaction ends, and so cannot be given to anybody meanwhile.
	OwnRole(ctx context.Context, name string) (Role, error)

	// PutRole stores what a role allows; DeleteRole deletes it.
	PutRole(ctx context.Context, r Role) error
	DeleteRole(ctx context.Context, name string) error

	// Settle is that of account.Users.
	Settle(ctx context.Context)

	// Holders returns how many users have each role that anybody has.
	Holders(ctx context.Context) (map[string]int, error)

	// IsOffered reports whether an open invitation that has not expired at now is to that role.
	IsOffered(ctx context.Context, name string, now time.Time) (bool, error)

	// Record appends an entry to the audit log, as audit.Store does.
	Record(ctx context.Context, e audit.Entry) error
}

// Store is the database as Service sees it.
type Store interface {
	Roles

	// InTx runs fn on a Store whose calls are committed together if fn returns nil and undone otherwise. It returns
	// when no process answers from memory what was true before.
	InTx(ctx context.Context, fn func(Store) error) error
}

// Service applies the rules. Its fields are required; it is safe for concurrent use.
type Service struct {
	Store Store
	Now   func() time.Time
}

// List returns the built-in roles of staff, and then all others by name.
func (s *Service) List(ctx context.Context) ([]Role, error) {
	own, err := s.Store.Roles(ctx)
	if err != nil {
		return nil, err
	}
	holders, err := s.Store.Holders(ctx)
	list := append(builtIn(), own...)
	for i := range list {
		list[i].Holders = holders[list[i].Name]
	}
	return list, err
}

func builtIn() []Role {
	var list []Role
	for _, name := range permission.StaffRoles() {
		rights, _ := permission.BuiltIn(name)
		list = append(list, Role{Name: name, Permissions: rights.Names(), BuiltIn: true})
	}
	return list
}

// Role returns the one with that name, or ErrNoRole.
func (s *Service) Role(ctx context.Context, name string) (Role, error) {
	all, err := s.List(ctx)
	if err != nil {
		return Role{}, err
	}
	i := slices.IndexFunc(all, func(r Role) bool { return r.Name == name })
	if i < 0 {
		return Role{}, ErrNoRole
	}
	return all[i], nil
}

// NewRole is what a new role is to be.
type NewRole struct {
	Name        string            `json:"name"`
	Permissions []permission.Name `json:"permissions"`
}

// Issues returns what is wrong with it.
func (in NewRole) Issues() (issues errs.Issues) {
	if issues.Require("name", in.Name) && !permission.IsRoleName(in.Name) {
		issues.Add("name", errs.CodeInvalid, "name must have 3 to 32 of A to Z, 0 to 9 and _, and begin with a letter.")
	}
	issues.Merge(RoleChange{in.Permissions}.Issues())
	return issues
}

// RoleChange is what a role is to allow.
type RoleChange struct {
	Permissions []permission.Name `json:"permissions"`
}

// Issues returns what is wrong with it.
func (in RoleChange) Issues() (issues errs.Issues) {
	if in.Permissions == nil {
		issues.Add("permissions", errs.CodeRequired, "permissions is required. It may be an empty list.")
	}
	if len(in.Permissions) > maxPermissions {
		issues.Add("permissions", errs.CodeOutOfRange, "permissions must have %d entries or fewer.", maxPermissions)
		return issues
	}
	for i, name := range in.Permissions {
		if !permission.Known(name) {
			issues.Add(fmt.Sprintf("permissions[%d]", i), errs.CodeUnknownValue, "There is no permission %q.", name)
		}
	}
	return issues
}

// Create makes a role. It returns VALIDATION_ERROR with every fault, ErrRoleTaken, ErrManyRoles, or FORBIDDEN for a
// permission that the caller lacks.
func (s *Service) Create(ctx context.Context, in NewRole) (Role, error) {
	if err := in.Issues().Err(); err != nil {
		return Role{}, err
	}
	r := Role{Name: in.Name, Permissions: permission.Sorted(in.Permissions), CreatedAt: s.Now()}
	err := s.Store.InTx(ctx, func(tx Store) error {
		if err := CheckAbove(ctx, "", r.Rights()); err != nil {
			return err
		}
		all, err := tx.Roles(ctx)
		switch {
		case err != nil:
			return err
		case permission.IsBuiltIn(r.Name) || slices.ContainsFunc(all, func(other Role) bool { return other.Name == r.Name }):
			return ErrRoleTaken
		case len(all) >= maxRoles:
			return ErrManyRoles
		}
		if err := tx.PutRole(ctx, r); err != nil {
			return err
		}
		// Users may have a role of a name that no role had.
		if err := s.count(ctx, tx, &r); err != nil {
			return err
		}
		return s.record(ctx, tx, audit.RoleCreate, r, audit.Details{"permissions": r.Permissions})
	})
	return r, err
}

// Change sets what a role allows, for everybody who has it. It returns VALIDATION_ERROR with every fault, ErrNoRole,
// ErrBuiltIn, ErrOwnRole, or FORBIDDEN for a permission that the caller lacks and the role has or would have.
func (s *Service) Change(ctx context.Context, name string, in RoleChange) (r Role, err error) {
	if err := in.Issues().Err(); err != nil {
		return Role{}, err
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		if r, err = s.editable(ctx, tx, name); err != nil {
			return err
		}
		before := r.Permissions
		r.Permissions = permission.Sorted(in.Permissions)
		if err := CheckAbove(ctx, "", r.Rights()); err != nil {
			return err
		}
		tx.Settle(ctx) // also if it allows just that already
		if err := s.count(ctx, tx, &r); err != nil || slices.Equal(before, r.Permissions) {
			return err
		}
		if err := tx.PutRole(ctx, r); err != nil {
			return err
		}
		return s.record(ctx, tx, audit.RoleUpdate, r, audit.Details{
			"added": without(r.Permissions, before), "removed": without(before, r.Permissions),
		})
	})
	return r, err
}

// without returns what of names is not among those others.
func without(names, others []permission.Name) []permission.Name {
	return slices.DeleteFunc(slices.Clone(names), func(name permission.Name) bool { return slices.Contains(others, name) })
}

// Delete deletes a role that nobody has. It returns ErrNoRole, ErrBuiltIn, ErrOwnRole, ErrRoleInUse, ErrRoleOffered, or
// FORBIDDEN for a permission that the role has and the caller lacks.
func (s *Service) Delete(ctx context.Context, name string) error {
	return s.Store.InTx(ctx, func(tx Store) error {
		r, err := s.editable(ctx, tx, name)
		if err != nil {
			return err
		}
		if err := s.count(ctx, tx, &r); err != nil {
			return err
		}
		if r.Holders > 0 {
			return ErrRoleInUse
		}
		// Under the lock of the role, which whoever invites to it needs, too.
		if offered, err := tx.IsOffered(ctx, name, s.Now()); err != nil {
			return err
		} else if offered {
			return ErrRoleOffered
		}
		if err := tx.DeleteRole(ctx, name); err != nil {
			return err
		}
		return s.record(ctx, tx, audit.RoleDelete, r, audit.Details{"permissions": r.Permissions})
	})
}

// editable returns a role, locked, that the caller may edit.
func (s *Service) editable(ctx context.Context, tx Store, name string) (Role, error) {
	if name == string(reqctx.RoleUser) { // it is no role of staff
		return Role{}, ErrNoRole
	}
	if permission.IsBuiltIn(name) {
		return Role{}, ErrBuiltIn
	}
	r, err := tx.OwnRole(ctx, name)
	switch {
	case errs.KindOf(err) == errs.NotFound:
		return Role{}, ErrNoRole
	case err != nil:
		return Role{}, err
	case string(reqctx.CallerFrom(ctx).Role) == name:
		return Role{}, ErrOwnRole
	}
	return r, CheckAbove(ctx, "", r.Rights())
}

func (s *Service) count(ctx context.Context, tx Store, r *Role) error {
	holders, err := tx.Holders(ctx)
	r.Holders = holders[r.Name]
	return err
}

func (s *Service) record(ctx context.Context, tx Store, action audit.Action, r Role, details audit.Details) error {
	return tx.Record(ctx, audit.New(ctx, s.Now(), action, audit.Target{Type: "role", ID: r.Name}, details))
}
