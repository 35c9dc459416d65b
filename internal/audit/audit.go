package audit

import (
	"context"
	"net/netip"
	"time"

	"stoa/internal/caller"
	"stoa/internal/cuid2"
	"stoa/internal/reqid"
)

// Action says what was done, as a subject and a verb: "plugin.install". Actions
// are stable: programs match on them.
type Action string

// What is recorded. docs/operating.md tells them; a test keeps both the same.
const (
	UserCreate         Action = "user.create"
	UserActivate       Action = "user.activate"
	UserDeactivate     Action = "user.deactivate"
	UserRole           Action = "user.role"
	UserResetPassword  Action = "user.reset_password"
	PluginInstall      Action = "plugin.install"
	PluginUpdate       Action = "plugin.update"
	PluginUninstall    Action = "plugin.uninstall"
	PluginSecretRead   Action = "plugin.secret_read"
	PluginSecretRotate Action = "plugin.secret_rotate"
	InstanceCreate     Action = "instance.create"
	InstanceUpdate     Action = "instance.update"
	InstanceDelete     Action = "instance.delete"
	ReviewHide         Action = "review.hide"
	ReviewShow         Action = "review.show"
	ReviewDelete       Action = "review.delete"
	ProductCreate      Action = "product.create"
	ProductUpdate      Action = "product.update"
	ProductDelete      Action = "product.delete"
	MediaUpload        Action = "media.upload"
	CatalogImport      Action = "catalog.import"
	LicenseGrant       Action = "license.grant"
	LicenseUpdate      Action = "license.update"
	LicenseRenew       Action = "license.renew"
	LicenseRevoke      Action = "license.revoke"
	LicenseDeactivate  Action = "license.deactivate"
	OrderRefund        Action = "order.refund"
	OrderCancel        Action = "order.cancel"
	KeysRotate         Action = "keys.rotate"
	KeysWithdraw       Action = "keys.withdraw"
)

// Kind is what sort of party an actor is.
type Kind string

// The kinds of actors.
const (
	User    Kind = "user"    // somebody signed in; ID is the user's
	Service Kind = "service" // a service JWT; ID is its subject
	System  Kind = "system"  // stoa itself, as its configuration tells it to
	CLI     Kind = "cli"     // the command line; ID is the operating system's user
)

// Actor is who did something.
type Actor struct {
	Kind Kind
	ID   string
	// Name is what to show: a user's e-mail address when the entry was recorded,
	// which the database adds. Empty for kinds whose ID is a name already.
	Name string
}

// Target is what something was done to.
type Target struct {
	Type string // "user", "plugin", "instance", "product", "media", "catalog", "review"
	ID   string // may be empty where there is only one
}

// Details are what else is worth knowing: small, and never a secret. They are
// kept as JSON.
type Details map[string]any

// Entry is one line of the log. It never changes.
type Entry struct {
	ID     string
	At     time.Time
	Actor  Actor
	Action Action
	Target Target
	// Address is the client's, RequestID the request's. Both are empty for what
	// no request asked for.
	Address   string
	RequestID string
	Details   Details
}

// New returns the entry for an operation done at now on behalf of ctx.
func New(ctx context.Context, now time.Time, action Action, target Target, details Details) Entry {
	return Entry{
		ID: cuid2.New(), At: now.UTC().Truncate(time.Millisecond), Actor: actor(ctx), Action: action, Target: target,
		Address: addressFrom(ctx), RequestID: reqid.From(ctx), Details: details,
	}
}

// actor returns who acts in ctx: the caller of the request, else whom As named,
// else the system.
func actor(ctx context.Context) Actor {
	switch who := caller.From(ctx); {
	case who.UserID != "":
		return Actor{Kind: User, ID: who.UserID}
	case who.Service != "":
		return Actor{Kind: Service, ID: who.Service}
	}
	if a, ok := ctx.Value(actorKey{}).(Actor); ok {
		return a
	}
	return Actor{Kind: System}
}

type (
	actorKey   struct{}
	addressKey struct{}
)

// As returns a context whose operations are a's, unless a request's caller is in
// it.
func As(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// WithAddress returns a context whose operations come from a client's address.
func WithAddress(ctx context.Context, address netip.Addr) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// addressFrom writes the address when an entry needs it: few requests make one.
func addressFrom(ctx context.Context) string {
	address, ok := ctx.Value(addressKey{}).(netip.Addr)
	if !ok {
		return ""
	}
	return address.String()
}
