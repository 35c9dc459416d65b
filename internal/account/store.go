package account

import (
	"context"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/trust/audit"
)

// Users is the part of Store about users. Package store implements it, and its tests cover every sentence here.
type Users interface {
	// CreateUser inserts a user. The error is an errs.Conflict if the id is taken, or
	// the Key of the e-mail address or the username.
	CreateUser(ctx context.Context, c Credentials) error

	// User returns the user with that id, UserByEmail the one whose e-mail address
	// has that Key, active or not, or an errs.NotFound error. Inside InTx the user
	// stays locked until the transaction ends.
	User(ctx context.Context, id string) (Credentials, error)
	UserByEmail(ctx context.Context, key string) (Credentials, error)

	// Candidate is UserByEmail outside of a transaction, for those who may not learn whether there is one: nobody is a
	// user without an id, and costs as much as somebody.
	Candidate(ctx context.Context, key string) (Credentials, error)

	// SetUsername gives a user another name. The error is an errs.Conflict if its Key is taken, or an errs.NotFound for an
	// unknown user.
	SetUsername(ctx context.Context, id, username string) error

	// Language returns the language that a user chose, empty for none, and SetLanguage keeps another. The error is an
	// errs.NotFound for an unknown user.
	Language(ctx context.Context, id string) (tag string, err error)
	SetLanguage(ctx context.Context, id, tag string) error

	// SetPassword stores the hash of a new password, which is not known to be breached; Rehash
	// another hash of the same. SetBreached (zero: it is not), SetActive and SetRole change one field,
	// RaiseGeneration adds one to it. SetPasswordOnce notes that the password is for one sign-in, until
	// SetPassword sets another. The error is an errs.NotFound for an unknown user.
	SetPassword(ctx context.Context, id, hash string) error
	SetPasswordOnce(ctx context.Context, id string) error
	Rehash(ctx context.Context, id, hash string) error
	SetBreached(ctx context.Context, id string, at time.Time) error
	SetActive(ctx context.Context, id string, active bool) error
	SetRole(ctx context.Context, id string, role reqctx.Role) error
	RaiseGeneration(ctx context.Context, id string) error

	// Settle has InTx return only when no process answers from memory what was so before, as all methods do that end
	// sessions or change users. Whoever is about to end something calls it: a process that has ended the same may have
	// been killed before it had waited. Outside of InTx it waits at once.
	Settle(ctx context.Context)

	// FillMailboxes stores the mailbox.Key of at most limit users that have none, because the
	// previous release wrote them, and returns how many these were: the first by their ids, of
	// those behind after, and the last of these ids.
	FillMailboxes(ctx context.Context, after string, limit int) (filled int, last string, err error)

	// ListUsers returns one page of the users that q selects, in the order of q, and
	// how many there are on all pages. The search compares Keys; none of its characters is a
	// wildcard.
	ListUsers(ctx context.Context, q UserQuery) ([]User, int, error)

	// HasAdmin reports whether there is an active user with role ADMIN. One whose deletion is planned is not active.
	HasAdmin(ctx context.Context) (bool, error)

	// RoleRights returns what a role allows, or an errs.NotFound error. Inside InTx it stays so until the transaction
	// ends. Others may ask meanwhile, so it does not matter whether users are locked before or behind.
	RoleRights(ctx context.Context, role reqctx.Role) (permission.Set, error)

	// LockAdmins returns the ids of the active users with role ADMIN, sorted. Those whose deletion is planned are not.
	// Inside InTx they stay locked, and so stay administrators, until the transaction
	// ends; other callers wait.
	LockAdmins(ctx context.Context) ([]string, error)
}

// SetupTokens is the part of Store about the set-up token. There is at most one; it
// is kept as a hash.
type SetupTokens interface {
	// PutSetup sets the token and replaces any other.
	PutSetup(ctx context.Context, hash string) error

	// HasSetup reports whether the token has that hash.
	HasSetup(ctx context.Context, hash string) (bool, error)

	// TakeSetup removes the token with that hash. The error is an errs.NotFound if
	// there is none; of several callers that take it, one succeeds.
	TakeSetup(ctx context.Context, hash string) error

	// DropSetup removes the token, if there is one.
	DropSetup(ctx context.Context) error
}

// Sessions is the part of Store about sessions.
type Sessions interface {
	// CreateSession inserts a session. The error is an errs.Conflict if the id is
	// taken.
	CreateSession(ctx context.Context, s Session) error

	// Session returns the session with that id, or an errs.NotFound error. Inside
	// InTx it stays locked until the transaction ends.
	Session(ctx context.Context, id string) (Session, error)

	// SaveRefresh stores the session's Refresh, Replaced and LastAddress. The error is an
	// errs.NotFound if the session has ended.
	SaveRefresh(ctx context.Context, s Session) error

	// SetReauthenticated stores when the session's user proved again to be there. The error is
	// an errs.NotFound if the session has ended.
	SetReauthenticated(ctx context.Context, id string, at time.Time) error

	// SetLevel stores a session's Level and Methods. The error is an errs.NotFound if it has ended.
	SetLevel(ctx context.Context, id string, level int, methods []string) error

	// LowerSessions takes the methods of codes from all sessions of a user, and level 2 from those
	// that rested on them.
	LowerSessions(ctx context.Context, userID string) error

	// Alive returns the session with that id and its user in one query, expired or
	// not. The error is an errs.NotFound for an unknown session; a deleted user has
	// none.
	Alive(ctx context.Context, id string) (Alive, error)

	// ListSessions returns at most limit of the user's sessions that expire after now,
	// the most recently used first.
	ListSessions(ctx context.Context, userID string, now time.Time, limit int) ([]Session, error)

	// DeleteSession deletes a session of that user. The error is an errs.NotFound if
	// it does not exist or belongs to another user.
	DeleteSession(ctx context.Context, userID, id string) error

	// DeleteSessionsExcept deletes all of the user's sessions except the one with that
	// id, which may be empty, and forgets all devices but that session's. Deleting none
	// is not an error.
	DeleteSessionsExcept(ctx context.Context, userID, id string) error

	// DeleteExpired deletes the user's sessions that expired at or before now.
	DeleteExpired(ctx context.Context, userID string, now time.Time) error

	// UsersWithExpired returns the ids of users with a session that expired at or
	// before now: the first limit of those that sort behind after, sorted, each once.
	UsersWithExpired(ctx context.Context, now time.Time, after string, limit int) ([]string, error)
}

// Store is the database as Service sees it. A user is always locked before the
// user's sessions and links, so that transactions cannot deadlock.
type Store interface {
	Users
	Sessions
	SetupTokens
	Resets
	MailTokens
	Proofs
	Factors
	Passkeys
	Challenges
	FactorResets
	Providers
	Identities
	Visits
	Devices
	KeyStore

	// DeleteStale deletes what has not been used in its time: links in mails, and sign-ins and
	// ceremonies that nobody finished. It deletes invitations 30 days after they ended. It keeps sign-ins for 90 days, and
	// devices for 400: at most 50 of each user.
	DeleteStale(ctx context.Context, now time.Time) error

	// Record appends an entry to the audit log, as audit.Store does. Inside InTx
	// it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// Publish tells subscribers of events. Inside InTx it is part of the transaction.
	Publish(ctx context.Context, list ...event.Event) error

	// AddMail records a mail that must not be lost. Inside InTx it is part of the transaction.
	AddMail(ctx context.Context, m mail.Sealed) error

	// InTx runs fn on a Store whose calls are committed together if fn returns nil and
	// undone otherwise. fn may run more than once.
	InTx(ctx context.Context, fn func(Store) error) error

	// InShortTx is InTx for few and short statements. Concurrent ones may be committed
	// together, which is faster on disk; each still succeeds or fails by itself. fn
	// may run on another goroutine.
	InShortTx(ctx context.Context, fn func(Store) error) error
}
