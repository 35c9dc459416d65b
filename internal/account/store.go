package account

import (
	"context"
	"time"

	"stoa/internal/audit"
	"stoa/internal/caller"
)

// Users is what Service needs to know about users from the database. Package
// store implements it and package storetest holds its conformance tests: a new
// sentence here needs a new test there.
type Users interface {
	// CreateUser inserts a user. It returns an errs.Conflict error when the id is
	// taken, or the Key of the e-mail address or the username.
	CreateUser(ctx context.Context, c Credentials) error

	// User returns the user with that id, UserByEmail the one whose e-mail address
	// has that Key, active or not. They return an errs.NotFound error when there
	// is none. Inside InTx the user stays locked until the transaction ends.
	User(ctx context.Context, id string) (Credentials, error)
	UserByEmail(ctx context.Context, key string) (Credentials, error)

	// SetPassword, SetActive and SetRole change one field. They return an
	// errs.NotFound error when there is no such user.
	SetPassword(ctx context.Context, id, hash string) error
	SetActive(ctx context.Context, id string, active bool) error
	SetRole(ctx context.Context, id string, role caller.Role) error

	// ListUsers returns one page of the users that q wants, the newest first and
	// those of the same moment by id, and how many there are on all pages. What is
	// sought is compared as Key has it; its characters all stand for themselves.
	ListUsers(ctx context.Context, q UserQuery) ([]User, int, error)

	// HasAdmin reports whether there is an active user with role ADMIN.
	HasAdmin(ctx context.Context) (bool, error)

	// LockAdmins returns the ids of the active users with role ADMIN, sorted.
	// Inside InTx they stay locked until the transaction ends, so that they are
	// still administrators then, and whoever else asks waits.
	LockAdmins(ctx context.Context) ([]string, error)
}

// SetupTokens is what Service needs to know about the set-up token: there is one
// or none, kept as a hash.
type SetupTokens interface {
	// PutSetup sets the token, in place of any other.
	PutSetup(ctx context.Context, hash string) error

	// HasSetup reports whether this is the token.
	HasSetup(ctx context.Context, hash string) (bool, error)

	// TakeSetup removes the token. It returns an errs.NotFound error when it is not
	// this one; of several who take the same, one succeeds.
	TakeSetup(ctx context.Context, hash string) error

	// DropSetup removes the token, if there is one.
	DropSetup(ctx context.Context) error
}

// Sessions is what Service needs to know about sessions from the database.
type Sessions interface {
	// CreateSession inserts a session. It returns an errs.Conflict error when the
	// id is taken.
	CreateSession(ctx context.Context, s Session) error

	// Session returns the session with that id, or an errs.NotFound error. Inside
	// InTx it stays locked until the transaction ends.
	Session(ctx context.Context, id string) (Session, error)

	// SaveRefresh stores the session's Refresh and Replaced. It returns an
	// errs.NotFound error when the session has ended.
	SaveRefresh(ctx context.Context, s Session) error

	// Alive returns the session with that id and its user in one query, ended by
	// time or not. It returns an errs.NotFound error when there is no such
	// session; a deleted user has none.
	Alive(ctx context.Context, id string) (Alive, error)

	// ListSessions returns the user's sessions that expire after now, the most
	// recently used first, and no more than limit.
	ListSessions(ctx context.Context, userID string, now time.Time, limit int) ([]Session, error)

	// DeleteSession deletes a session of that user. It returns an errs.NotFound
	// error when there is none, or when it is somebody else's.
	DeleteSession(ctx context.Context, userID, id string) error

	// DeleteSessionsExcept deletes all of the user's sessions but the one named,
	// which may be empty. Deleting none is not an error.
	DeleteSessionsExcept(ctx context.Context, userID, id string) error

	// DeleteExpired deletes the user's sessions that expired at or before now.
	DeleteExpired(ctx context.Context, userID string, now time.Time) error

	// UsersWithExpired returns the ids, sorted and each once, of the users that have
	// a session that expired at or before now, of those ids after the given one the
	// first, and no more than limit.
	UsersWithExpired(ctx context.Context, now time.Time, after string, limit int) ([]string, error)
}

// Store is the database as Service sees it. A user is always locked before the
// user's sessions, so that transactions never wait for each other in a circle.
type Store interface {
	Users
	Sessions
	SetupTokens
	Resets

	// Record appends an entry to the audit log, as audit.Store does. Inside InTx
	// it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// InTx runs fn on a Store whose calls commit together if fn returns nil and
	// are all undone otherwise. fn may run again if the database asks for it.
	InTx(ctx context.Context, fn func(Store) error) error

	// InShortTx is InTx for few and short statements. Those that come at the same
	// time may be committed together, which a disk likes better; each succeeds or
	// fails by itself all the same. fn may run on another goroutine.
	InShortTx(ctx context.Context, fn func(Store) error) error
}
