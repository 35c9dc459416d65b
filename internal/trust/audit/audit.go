package audit

import (
	"context"
	"time"

	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
)

// Action is what was done, as an object and a verb: "plugin.install". Actions are
// stable: programs match on them.
type Action string

// The recorded actions. docs/operating.md lists them; a test compares the two.
const (
	UserCreate         Action = "user.create"
	UserActivate       Action = "user.activate"
	UserDeactivate     Action = "user.deactivate"
	UserRole           Action = "user.role"
	UserResetPassword  Action = "user.reset_password"
	UserChangePassword Action = "user.change_password"
	UserEndSessions    Action = "user.end_sessions"
	UserVerifyEmail    Action = "user.verify_email"
	UserChangeEmail    Action = "user.change_email"
	UserRevertEmail    Action = "user.revert_email"
	UserDisownEmail    Action = "user.disown_email"
	UserReclaim        Action = "user.reclaim"
	UserAddPasskey     Action = "user.add_passkey"
	UserRemovePasskey  Action = "user.remove_passkey"
	UserMailReset      Action = "user.mail_reset"
	UserRemovePassword Action = "user.remove_password"
	UserAddTOTP        Action = "user.add_totp"
	UserRemoveTOTP     Action = "user.remove_totp"
	UserNewCodes       Action = "user.new_codes"
	UserUseCode        Action = "user.use_code"
	UserLinkIdentity   Action = "user.link_identity"
	UserUnlinkIdentity Action = "user.unlink_identity"
	UserStartReset     Action = "user.start_reset"
	UserResetFactor    Action = "user.reset_factor"
	UserCancelReset    Action = "user.cancel_reset_factor"
	RoleCreate         Action = "role.create"
	RoleUpdate         Action = "role.update"
	RoleDelete         Action = "role.delete"
	StaffInvite        Action = "staff.invite"
	StaffAccept        Action = "staff.accept"
	StaffRevokeInvite  Action = "staff.revoke_invite"
	UserPlanDeletion   Action = "user.plan_deletion"
	UserCancelDeletion Action = "user.cancel_deletion"
	UserErase          Action = "user.erase"
	UserExport         Action = "user.export"
	KeyCreate          Action = "apikey.create"
	KeyRotate          Action = "apikey.rotate"
	KeyRevoke          Action = "apikey.revoke"
	KeyFirstUse        Action = "apikey.first_use_from_address"
	ProviderCreate     Action = "provider.create"
	ProviderUpdate     Action = "provider.update"
	ProviderDelete     Action = "provider.delete"
	PluginInstall      Action = "plugin.install"
	PluginUpdate       Action = "plugin.update"
	PluginUninstall    Action = "plugin.uninstall"
	PluginUpgrade      Action = "plugin.upgrade"
	PluginReplace      Action = "plugin.replace"
	PluginRollback     Action = "plugin.rollback"
	PluginRestore      Action = "plugin.restore"
	PluginPurge        Action = "plugin.purge"
	PluginBuiltin      Action = "plugin.builtin"
	PluginSecretRead   Action = "plugin.secret_read"
	PluginSecretRotate Action = "plugin.secret_rotate"
	ThemeInstall       Action = "theme.install"
	ThemeReplace       Action = "theme.replace"
	ThemeUninstall     Action = "theme.uninstall"
	ThemePurge         Action = "theme.purge"
	ThemeActivate      Action = "theme.activate"
	ThemeRollback      Action = "theme.rollback"
	ThemeDeactivate    Action = "theme.deactivate"
	BundleInstall      Action = "bundle.install"
	BundleUpgrade      Action = "bundle.upgrade"
	BundleUninstall    Action = "bundle.uninstall"
	InstanceCreate     Action = "instance.create"
	InstanceUpdate     Action = "instance.update"
	InstanceDelete     Action = "instance.delete"
	WebhookCreate      Action = "webhook.create"
	WebhookUpdate      Action = "webhook.update"
	WebhookRotate      Action = "webhook.secret_rotate"
	WebhookDelete      Action = "webhook.delete"
	MarketAdd          Action = "market.add"
	MarketRemove       Action = "market.remove"
	MarketRoot         Action = "market.root"
	MarketPurchase     Action = "market.purchase"
	MarketTrial        Action = "market.trial"
	MarketEnd          Action = "market.end"
	ExtensionLicense   Action = "extension.license"
	ReviewHide         Action = "review.hide"
	ReviewShow         Action = "review.show"
	ReviewDelete       Action = "review.delete"
	ProductCreate      Action = "product.create"
	ProductUpdate      Action = "product.update"
	ProductDelete      Action = "product.delete"
	ProductPublish     Action = "product.publish"
	ProductWithdraw    Action = "product.withdraw"
	MarketInit         Action = "market.init"
	MarketRenew        Action = "market.root_renew"
	MediaUpload        Action = "media.upload"
	MediaDelete        Action = "media.delete"
	CatalogImport      Action = "catalog.import"
	LicenseGrant       Action = "license.grant"
	LicenseUpdate      Action = "license.update"
	LicenseRenew       Action = "license.renew"
	LicenseChange      Action = "license.change"
	LicenseRevoke      Action = "license.revoke"
	LicenseDeactivate  Action = "license.deactivate"
	DiscountCreate     Action = "discount.create"
	DiscountUpdate     Action = "discount.update"
	DiscountDelete     Action = "discount.delete"
	TemplateUpdate     Action = "template.update"
	TemplateReset      Action = "template.reset"
	TemplateTest       Action = "template.test"
	OrderCreate        Action = "order.create"
	OrderRefund        Action = "order.refund"
	OrderCancel        Action = "order.cancel"
	ExportCSV          Action = "export.csv"
	KeysRotate         Action = "keys.rotate"
	KeysWithdraw       Action = "keys.withdraw"
	KeysRewrap         Action = "keys.rewrap"
	SettingsUpdate     Action = "settings.update"
	SignInSettings     Action = "signin.settings"

	ServiceAccountCreate Action = "serviceaccount.create"
	ServiceAccountDelete Action = "serviceaccount.delete"
	ImpersonationStart   Action = "impersonation.start"
	ImpersonationEnd     Action = "impersonation.end"
)

// Kind is the kind of an actor.
type Kind string

// The kinds of actors.
const (
	User    Kind = "user"    // a signed-in user; ID is the user's
	Service Kind = "service" // a service with a JWT, or a service account; ID is its subject or id
	System  Kind = "system"  // stoa itself, following its configuration
	CLI     Kind = "cli"     // the command line; ID is the operating system's user
)

// Actor is the user, service or program that did something.
type Actor struct {
	Kind Kind
	ID   string
	// Name is a user's e-mail address at the time of the entry. The database fills it
	// in. Other kinds have none: their ID is readable.
	Name string
}

// Behalf is the user for whom somebody of the staff did something. The zero value is nobody.
type Behalf struct {
	ID string
	// Name is as Actor.Name.
	Name string
}

// Target is the thing that an operation changed.
type Target struct {
	// Type is "user", "plugin", "instance", "product", "media", "catalog", "review", "webhook", "settings" or
	// "invitation", say.
	Type string
	ID   string // may be empty if there is only one of the type
}

// Details are additional facts about an operation. They are small, never secret, and
// stored as JSON.
type Details map[string]any

// Entry is one entry of the log. It never changes.
type Entry struct {
	ID     string
	At     time.Time
	Actor  Actor
	Behalf Behalf
	Action Action
	Target Target
	// Address is the client's, RequestID the request's. Both are empty for operations
	// outside of a request.
	Address   string
	RequestID string
	Details   Details
}

// New returns an entry for an operation at now. The actor, the address and the request
// id come from ctx.
func New(ctx context.Context, now time.Time, action Action, target Target, details Details) Entry {
	return Entry{
		ID: ids.New(), At: now.UTC().Truncate(time.Millisecond), Actor: actor(ctx), Behalf: behalf(ctx), Action: action,
		Target: target, Address: addressFrom(ctx), RequestID: reqctx.RequestID(ctx), Details: details,
	}
}

// actor returns the actor in ctx: the caller of the request, else the one set with As,
// else the system.
func actor(ctx context.Context) Actor {
	switch who := reqctx.CallerFrom(ctx); {
	case who.Impersonator != "":
		return Actor{Kind: User, ID: who.Impersonator}
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

// behalf returns the user as whom the caller of the request in ctx acts; nobody if it is the user.
func behalf(ctx context.Context) Behalf {
	if who := reqctx.CallerFrom(ctx); who.Impersonator != "" {
		return Behalf{ID: who.UserID}
	}
	return Behalf{}
}

type (
	actorKey struct{}
)

// As returns a context in which a is the actor, unless it also has a request's caller.
func As(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// addressFrom returns the address of the client whose request ctx is of, or "".
func addressFrom(ctx context.Context) string {
	address := reqctx.AddrFrom(ctx)
	if !address.IsValid() {
		return ""
	}
	return address.String()
}
