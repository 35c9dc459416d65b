package account

import (
	"context"
	"errors"
	"slices"

	"stoa/internal/account/staff"
	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// UserChange is what an administrator changes about a user. Empty fields stay.
type UserChange struct {
	Active *bool
	Role   reqctx.Role
}

// ChangeIssues returns what is wrong with ch.
func (s *Service) ChangeIssues(ctx context.Context, ch UserChange) (errs.Issues, error) {
	return roleIssues(ctx, s.Store, ch.Role)
}

// roleIssues returns what is wrong with a role that somebody is to have; empty means none.
func roleIssues(ctx context.Context, tx Store, role reqctx.Role) (errs.Issues, error) {
	var f faults
	if role == "" {
		return f.Issues, nil
	}
	unknown, err := !permission.IsRoleName(string(role)), error(nil)
	if !unknown { // a name that no role has may be one that the database refuses
		_, err = tx.RoleRights(ctx, role)
		unknown, err = errs.KindOf(err) == errs.NotFound, ignore(err, errs.NotFound)
	}
	if unknown {
		f.Add("role", errs.CodeUnknownValue, "There is no role %q.", role)
	}
	return f.Issues, err
}

// Reach refuses a caller who may not act on a user above them. The error is ErrNoUser or FORBIDDEN.
func (s *Service) Reach(ctx context.Context, userID string) error {
	u, err := s.User(ctx, userID)
	if err != nil {
		return err
	}
	return CheckAbove(ctx, s.Store, u.Role)
}

// RoleReader knows what roles allow; every Store does.
type RoleReader interface {
	RoleRights(ctx context.Context, role reqctx.Role) (permission.Set, error)
}

// CheckAbove refuses a caller who has less rights than somebody with that role (staff.CheckAbove).
func CheckAbove(ctx context.Context, tx RoleReader, role reqctx.Role) error {
	if role == reqctx.RoleUser {
		return nil
	}
	rights, err := tx.RoleRights(ctx, role)
	if err := ignore(err, errs.NotFound); err != nil {
		return err
	}
	return staff.CheckAbove(ctx, role, rights)
}

// apply returns u with the change.
func (ch UserChange) apply(u User) User {
	if ch.Active != nil {
		u.Active = *ch.Active
	}
	if ch.Role != "" {
		u.Role = ch.Role
	}
	return u
}

// isAdmin reports whether u may manage the platform.
func (u User) isAdmin() bool { return u.Active && u.Role == reqctx.RoleAdmin }

// UpdateUser changes a user and returns the new state. The change takes effect with
// the next request under any of the user's tokens, on all replicas. Deactivating a
// user also ends all of the user's sessions. Whoever becomes staff loses those that began in a way not for staff.
//
// It returns VALIDATION_ERROR with every fault, ErrNoUser, ErrLeaving, ErrLastAdministrator if nobody would be left to
// manage the platform, however many administrators are changed at the same time, staff.ErrOwnRole, and FORBIDDEN
// where the user is above the caller, before or after.
func (s *Service) UpdateUser(ctx context.Context, id string, ch UserChange) (User, error) {
	if !userID.MatchString(id) {
		return User{}, ErrNoUser
	}
	var changed User
	err := s.Store.InTx(ctx, func(tx Store) error {
		// All administrators are locked, and before the user. So of two transactions
		// that each take one away, the second counts what the first left, and they
		// cannot deadlock.
		var admins []string
		if ch.apply(User{Active: true, Role: reqctx.RoleAdmin}) != (User{Active: true, Role: reqctx.RoleAdmin}) {
			var err error
			if admins, err = tx.LockAdmins(ctx); err != nil {
				return err
			}
		}
		issues, err := roleIssues(ctx, tx, ch.Role) // the role stays as it is
		if err := errors.Join(err, issues.Err()); err != nil {
			return err
		}
		c, err := tx.User(ctx, id)
		if err != nil {
			return err
		}
		before := c.User
		if err := CheckAbove(ctx, tx, before.Role); err != nil {
			return err
		}
		if ch.Active != nil && !before.DeletionAt.IsZero() { // Active is not what was set
			return ErrLeaving
		}
		changed = ch.apply(before)
		another := slices.ContainsFunc(admins, func(other string) bool { return other != id })
		if before.isAdmin() && !changed.isAdmin() && !another {
			return ErrLastAdministrator
		}
		if err := mayChange(ctx, tx, before, changed); err != nil {
			return err
		}
		tx.Settle(ctx) // also if the user is so already
		return s.saveUser(ctx, tx, before, changed)
	})
	if err != nil {
		return User{}, noUser(err)
	}
	return changed, nil
}

// mayChange refuses a caller who may not make one of the other.
func mayChange(ctx context.Context, tx Store, before, after User) error {
	if before.ID == reqctx.CallerFrom(ctx).UserID && before.Role != after.Role {
		return staff.ErrOwnRole
	}
	if before.Role == after.Role {
		return nil
	}
	return CheckAbove(ctx, tx, after.Role)
}

// saveUser stores and records what changed about a user, if anything.
func (s *Service) saveUser(ctx context.Context, tx Store, before, after User) error {
	target := audit.Target{Type: "user", ID: after.ID}
	if after.Role != before.Role {
		if err := tx.SetRole(ctx, after.ID, after.Role); err != nil {
			return err
		}
		details := audit.Details{"email": after.Email, "from": string(before.Role), "to": string(after.Role)}
		err := errors.Join(tx.Record(ctx, audit.New(ctx, s.Now(), audit.UserRole, target, details)),
			tx.Publish(ctx, event.New(s.Now(), event.UserRoleChanged, event.Names{UserID: after.ID})))
		if err != nil {
			return err
		}
	}
	if after.isStaff() && !before.isStaff() {
		if err := s.endClosedToStaff(ctx, tx, after.ID); err != nil {
			return err
		}
	}
	if after.Active != before.Active {
		if err := tx.SetActive(ctx, after.ID, after.Active); err != nil {
			return err
		}
		action := audit.UserActivate
		if !after.Active {
			action = audit.UserDeactivate
			if err := s.shutOut(ctx, tx, after.ID, kept{}); err != nil {
				return err
			}
		}
		if err := tx.Record(ctx, audit.New(ctx, s.Now(), action, target, audit.Details{"email": after.Email})); err != nil {
			return err
		}
	}
	if after.isAdmin() && !before.isAdmin() {
		return tx.DropSetup(ctx)
	}
	return nil
}

// SetActive is UpdateUser for the field Active.
func (s *Service) SetActive(ctx context.Context, id string, active bool) error {
	_, err := s.UpdateUser(ctx, id, UserChange{Active: &active})
	return err
}

// Promote gives the user with that e-mail address the role ADMIN, or returns
// ErrNoUser. Repeating it changes nothing.
func (s *Service) Promote(ctx context.Context, email string) (User, error) {
	c, err := s.byEmail(ctx, email)
	if err != nil {
		return User{}, err
	}
	return s.UpdateUser(ctx, c.ID, UserChange{Role: reqctx.RoleAdmin})
}
