package staff

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
)

// lacks says which permission a caller would have to have.
func lacks(name permission.Name) error {
	return errs.New(errs.Forbidden, "FORBIDDEN", "This role has the permission %s, which yours does not have.", name).
		With("permission", name)
}

var (
	errOnlyAdmin = errs.New(errs.Forbidden, "FORBIDDEN",
		"Only administrators give the role ADMIN, and act on those who have it.").
		With("permission", permission.WriteStaff)

	// ErrOwnRole says that somebody wanted to change what they may do themselves.
	ErrOwnRole = errs.New(errs.Forbidden, "FORBIDDEN",
		"Nobody changes their own role. Ask somebody else who manages staff.").
		With("permission", permission.WriteStaff)
)

// CheckAbove refuses a caller who lacks something that a role with these rights has: nobody grants such a role, edits
// it, or acts on somebody who has it (contract 2.29). The command line and the platform itself are above all.
func CheckAbove(ctx context.Context, role reqctx.Role, rights permission.Set) error {
	who := reqctx.CallerFrom(ctx)
	switch {
	case who.IsGuest():
		return nil
	case role == reqctx.RoleAdmin && who.Role != reqctx.RoleAdmin:
		return errOnlyAdmin
	}
	if name := who.Rights.Lacks(rights); name != "" {
		return lacks(name)
	}
	return nil
}
