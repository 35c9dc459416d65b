package reqctx

import (
	"context"

	"stoa/internal/base/permission"
)

// Anonymous is the user id recorded for a purchase made without a token
// (contract 3.3).
const Anonymous = "anonymous"

// Deleted is the user id of what outlives an account: its orders and licenses (contract 2.34). No user has
// it, and nobody claims what has it.
const Deleted = "deleted"

// IsUser reports whether an id recorded with an order or a license is that of a user: neither Anonymous nor
// Deleted.
func IsUser(id string) bool { return id != Anonymous && id != Deleted }

// Role is what a user is on the platform: USER, or a role of staff, which decides what they may do.
type Role string

// The roles that code knows by name. What the others may do is data: see package permission.
const (
	RoleUser  Role = "USER"
	RoleAdmin Role = "ADMIN"
)

// Caller is the authenticated party behind a request. The zero value is a
// guest.
type Caller struct {
	// UserID is empty for guests and for services.
	UserID string
	Role   Role
	// SessionID is the session the access token belongs to.
	SessionID string
	// Service is the subject of a service JWT (contract 2.9), which has RoleAdmin, or the id of
	// the service account whose Key it is, which has no role. A service has no session.
	Service string
	// Key is the API key that the caller shows in place of a token. Its Rights are what the key may do.
	Key Key
	// Impersonator is the member of staff who acts as the user; empty for the user. Writes says that it may be
	// to change something, too.
	Impersonator string
	Writes       bool
	// Rights are what the caller may do as staff, unless a second factor is due.
	Rights permission.Set
	// FactorDue is what the session lacks of a caller who is staff, and the platform asks staff for. Nothing is
	// theirs to manage then.
	FactorDue Factor
}

// Key is an API key (contract 2.31). The zero value is none.
type Key struct {
	ID string
	// Read and Write say that the key stands for its user where no permission is asked for: to read, and for all else.
	Read, Write bool
}

// Factor is what staff need besides the password. The zero value is nothing.
type Factor string

// What staff may need.
const (
	SecondFactor Factor = "second factor"
	Passkey      Factor = "passkey"
)

// IsGuest reports whether the request is not authenticated.
func (c Caller) IsGuest() bool { return c.UserID == "" && c.Service == "" }

// May reports whether the caller, as staff, has a permission.
func (c Caller) May(name permission.Name) bool {
	return !c.IsGuest() && c.FactorDue == "" && c.Rights.Has(name)
}

// HasKey reports whether the caller shows an API key.
func (c Caller) HasKey() bool { return c.Key.ID != "" }

// IsAdmin reports whether the caller has the role that may do everything, and no key that allows less.
func (c Caller) IsAdmin() bool {
	return c.Role == RoleAdmin && !c.IsGuest() && !c.HasKey() && c.FactorDue == ""
}

type callerKey struct{}

// WithCaller returns a context that carries c.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller carried by ctx, or a guest.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
