package account

import (
	"context"
	"time"

	"stoa/internal/account/federated"
	"stoa/internal/base/errs"
)

// Purposes for which what belongs to sign-ins with providers is sealed.
const (
	ProviderPurpose     = "identity-provider.secret"
	FlowVerifierPurpose = "oidc.verifier"
	FlowResultPurpose   = "oidc.result"
)

// Provider is where people may have an account that signs them in here.
type Provider struct {
	ID   string
	Slug string // in addresses; it never changes
	Kind federated.Kind
	Name string // as people see it
	// Issuer is the provider's name for itself. No two providers have the same.
	Issuer   string
	ClientID string
	Sealed   string // the client's secret, sealed for ProviderPurpose and bound to ID; empty for none
	Scopes   []string
	// Enabled: it signs people in. SignUp: it makes accounts for those who have none. Staff: it signs staff in, too.
	Enabled, SignUp, Staff bool
	// VerifiesAddresses is that of federated.Provider.
	VerifiesAddresses bool
	// AllowedDomains are those of the addresses that people must have there; empty: any, or none.
	AllowedDomains []string
	CreatedAt      time.Time
}

// opensTo reports whether p signs a user in, if it is enabled.
func (p Provider) opensTo(u User) bool { return p.Staff || !u.isStaff() }

// Identity is an account at a provider that signs a user in here. What names it is the issuer and the subject: the
// address is for people to tell one from another, and proves nothing.
type Identity struct {
	ID              string
	UserID          string
	ProviderID      string
	Issuer, Subject string
	// Generation is the user's when it was linked.
	Generation int64
	Email      string
	CreatedAt  time.Time
	LastUsedAt time.Time // zero: never
}

// method is how a session that began with i says so (Session.Methods). It does not name the provider, which may be gone
// or have another issuer by the time i is unlinked.
func (i Identity) method() string { return methodProvider + ":" + i.ID }

// maxIdentities is how many identities a user may have.
const maxIdentities = 10

// FlowMode is what somebody wants who is sent to a provider.
type FlowMode string

// The modes.
const (
	FlowSignIn FlowMode = "sign-in"
	FlowLink   FlowMode = "link"           // the identity to the user of a session
	FlowReauth FlowMode = "reauthenticate" // proves that the user of a session is there
)

// Flow is the way of a browser to a provider and back. It lives for FlowLife. Whoever holds its cookie, in that
// browser, goes on with it; for a session, in that session only.
type Flow struct {
	State      string // the hash of the state, which is not kept
	Cookie     string // the hash of the cookie, which is not kept
	ProviderID string
	Mode       FlowMode
	// UserID and SessionID are whose it is; empty for FlowSignIn. Generation is the user's when it began.
	UserID, SessionID string
	Generation        int64
	Username          string // that a new account is to have; empty: not said yet
	Nonce             string
	Verifier          string // sealed for FlowVerifierPurpose and bound to State
	ReturnTo          string // a path of stoa's own pages
	Result            string // who came back, sealed for FlowResultPurpose and bound to State; empty: nobody yet
	Code              string // that was mailed, as typedHash; empty for none
	Tries             int    // wrong ones
	CreatedAt         time.Time
}

// live reports whether the flow goes on at now.
func (f Flow) live(now time.Time) bool { return now.Before(f.CreatedAt.Add(FlowLife)) }

// Providers is the part of Store about identity providers.
type Providers interface {
	// PutProvider inserts a provider, or replaces the one with its ID, but for Slug and CreatedAt. The error is an
	// errs.Conflict if another has its slug or its issuer. It is for transactions.
	PutProvider(ctx context.Context, p Provider) error

	// Providers returns all, by slug.
	Providers(ctx context.Context) ([]Provider, error)

	// DeleteProvider deletes a provider. Its identities stay. The error is an errs.NotFound if there is none.
	DeleteProvider(ctx context.Context, id string) error

	// CountIdentities returns how many accounts have an identity of an issuer, and how many of them have no password, no
	// passkey and no identity of another issuer that signs them in (Passkeys.HasIdentity).
	CountIdentities(ctx context.Context, issuer string) (accounts, only int, err error)
}

// Identities is the part of Store about identities and how they are brought. Those that write are for a user who is
// locked, except for flows.
type Identities interface {
	// CreateIdentity inserts an identity. The error is an errs.Conflict if anybody has it, or the user has another of its
	// provider.
	CreateIdentity(ctx context.Context, i Identity) error

	// IdentityWith returns the identity of somebody at an issuer, or an errs.NotFound error.
	IdentityWith(ctx context.Context, issuer, subject string) (Identity, error)

	// IdentitiesOf returns the user's identities, the oldest first.
	IdentitiesOf(ctx context.Context, userID string) ([]Identity, error)

	// UseIdentity stores ProviderID, Email and LastUsedAt of an identity. The error is an errs.NotFound if it is gone.
	UseIdentity(ctx context.Context, i Identity) error

	// DeleteIdentity deletes an identity of the user. The error is an errs.NotFound if the user does not have it.
	DeleteIdentity(ctx context.Context, userID, id string) error

	// UserByMailbox returns the user who has had an address of that mailbox (mailbox.Key) the longest, active or not, or
	// an errs.NotFound error. Inside InTx the user stays locked.
	UserByMailbox(ctx context.Context, key string) (Credentials, error)

	// CreateFlow inserts a flow. FlowOf returns the one with that cookie, expired or not, or an errs.NotFound error.
	CreateFlow(ctx context.Context, f Flow) error
	FlowOf(ctx context.Context, cookie string) (Flow, error)

	// TakeFlow deletes the flow with that state and returns it. The error is an errs.NotFound if there is none; of several
	// callers that take it, one succeeds.
	TakeFlow(ctx context.Context, state string) (Flow, error)

	// KeepResult stores the Result of a flow that has none. The error is an errs.NotFound if it has one or is gone; of
	// several callers, one succeeds.
	KeepResult(ctx context.Context, state, sealed string) error
}

// Errors of sign-ins with providers.
var (
	// ErrNoProvider is returned for a provider that does not exist, or does not sign anybody in.
	ErrNoProvider = errs.New(errs.NotFound, "NOT_FOUND", "There is no such identity provider.")

	// ErrFlow is returned for whatever ends the way to a provider and back: it took too long, was used, began in another
	// browser or session, or is void.
	ErrFlow = errs.New(errs.Invalid, "FLOW_INVALID", "This sign-in took too long, or began elsewhere. Begin again.")

	// ErrProvider is returned for a provider that is broken or lies. The cause is for the log.
	ErrProvider = errs.New(errs.Invalid, "PROVIDER_REFUSED",
		"The provider could not confirm who you are. Try again, or sign in another way.")

	// ErrUsernameRequired asks whoever gets a new account for a name.
	ErrUsernameRequired = errs.New(errs.Invalid, "USERNAME_REQUIRED", "Choose a username.")

	// ErrTypedCode is returned for every wrong code of a mail.
	ErrTypedCode = errs.New(errs.Invalid, "INVALID_CODE", "The code is wrong or no longer works.")

	// ErrStaffMethod is returned to staff who sign in in a way that is not for staff.
	ErrStaffMethod = errs.New(errs.Forbidden, "STAFF_METHOD",
		"Staff cannot sign in this way. Use your password or a passkey.")

	// ErrSignUpClosed is returned to people without an account where a provider makes none.
	ErrSignUpClosed = errs.New(errs.Forbidden, "SIGN_UP_CLOSED",
		"There is no account for you here, and none is made this way.")

	// ErrProofRequired asks for an address and for a proof of its mailbox. Its details say what is due.
	ErrProofRequired = errs.New(errs.Forbidden, "EMAIL_PROOF_REQUIRED",
		"Confirm an e-mail address of yours with a code that is mailed to it.")

	// ErrLinkRequired is returned where an account has the address. Its details say how to link it.
	ErrLinkRequired = errs.New(errs.Conflict, "LINK_REQUIRED",
		"There is an account with this e-mail address. Sign in to it and link it there, "+
			"or confirm with a code that is mailed to it.")

	// ErrIdentityTaken is returned for an identity that another account has, and for a second one of a provider.
	ErrIdentityTaken = errs.New(errs.Conflict, "IDENTITY_TAKEN",
		"This account of the provider is linked already, or yours is linked to another one of the provider. "+
			"Unlink that first.")

	// ErrManyIdentities is returned for one more than maxIdentities.
	ErrManyIdentities = errs.New(errs.Conflict, "TOO_MANY", "You have 10 linked accounts. Unlink one first.")

	// ErrNoIdentity is returned for an identity that the user does not have.
	ErrNoIdentity = errs.New(errs.NotFound, "NOT_FOUND", "You have no such linked account.")

	// ErrNotByProvider is returned to users who have something else to prove with that they are there.
	ErrNotByProvider = errs.New(errs.Unauthenticated, "REAUTHENTICATION_FAILED",
		"Your account proves in another way that you are there.")

	// ErrNotProven is returned where a provider does not prove that the user of a session is there.
	ErrNotProven = errs.New(errs.Unauthenticated, "REAUTHENTICATION_FAILED",
		"The provider did not confirm that you signed in there just now.")
)
