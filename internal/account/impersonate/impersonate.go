// Package impersonate lets staff see the shop as one of its users does, in a session of its own kind: it lasts half an
// hour, has no refresh token, changes nothing unless that was asked for, and names both. Whatever is recorded in it is
// recorded under the name of the member of staff.
//
// What such a session may do at a route is decided where routes are listed; that it goes on, in package account.
package impersonate

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/text"
	"stoa/internal/message/mail"
	"stoa/internal/trust/audit"
)

// Life is how long an impersonation lasts at most.
const Life = 30 * time.Minute

// kept is how long ended ones are listed.
const kept = 90 * 24 * time.Hour

// Impersonation is a session in which somebody of the staff sees the shop as a user. Its id is the session's.
type Impersonation struct {
	ID       string
	Staff    Person
	User     Person
	Reason   string
	Writable bool
	// CreatedAt is when it began, EndsAt when it ends at the latest, EndedAt when its end was noticed; zero until then.
	CreatedAt, EndsAt, EndedAt time.Time
}

// Person is a user by id and username; the name is empty of somebody whose account is gone.
type Person struct{ ID, Name string }

// Query selects impersonations. Zero fields match all.
type Query struct {
	UserID string
	// Open selects those that nobody has noticed the end of.
	Open bool

	Limit, Offset int
}

// Issues returns what is wrong with q.
func (q Query) Issues() (faults errs.Issues) {
	switch {
	case !text.Printable(q.UserID, text.Short):
		faults.Add("userId", errs.CodeOutOfRange, "userId must be at most %d printable characters.", text.Short)
	case q.UserID != "" && !ids.Plausible(q.UserID):
		faults.Add("userId", errs.CodeInvalid, "userId must be the id of a user.")
	}
	return faults
}

// Store is the database as Service sees it. Package store implements it, and its tests cover every sentence here.
type Store interface {
	// User, Session, CreateSession, DeleteSession and Settle are those of account.Store.
	User(ctx context.Context, id string) (account.Credentials, error)
	Session(ctx context.Context, id string) (account.Session, error)
	CreateSession(ctx context.Context, s account.Session) error
	DeleteSession(ctx context.Context, userID, id string) error
	Settle(ctx context.Context)

	// AddImpersonation inserts an impersonation.
	AddImpersonation(ctx context.Context, i Impersonation) error

	// Impersonation returns the one with that id, or an errs.NotFound error.
	Impersonation(ctx context.Context, id string) (Impersonation, error)

	// ListImpersonations returns one page of those that q selects, the latest first, and how many there are on all
	// pages.
	ListImpersonations(ctx context.Context, q Query) ([]Impersonation, int, error)

	// NoteEnd stores when an impersonation ended, unless that is stored already. It reports whether it was not.
	NoteEnd(ctx context.Context, id string, at time.Time) (first bool, err error)

	// DeleteImpersonations deletes those that began before a time and have ended.
	DeleteImpersonations(ctx context.Context, before time.Time) error

	// Record and AddMail are those of account.Store.
	Record(ctx context.Context, e audit.Entry) error
	AddMail(ctx context.Context, m mail.Sealed) error

	// InTx is that of account.Store.
	InTx(ctx context.Context, fn func(Store) error) error
}

// Accounts is what Service asks of account.Service.
type Accounts interface {
	// LastRules returns the rules that hold for the request at hand.
	LastRules() account.Rules

	// Stands reports whether a session goes on, as a request in it would find.
	Stands(ctx context.Context, session string) (bool, error)

	// EndByAge returns when a session of somebody with that role ends by its age; zero: never.
	EndByAge(role reqctx.Role, session account.Session) time.Time

	// AccessToken returns an access token for a session until it ends.
	AccessToken(ctx context.Context, u account.User, session account.Session) (string, error)
}

// Service applies the rules. Its fields are required unless they say otherwise; it is safe for concurrent use.
type Service struct {
	Store    Store
	Accounts Accounts
	Now      func() time.Time
	Log      *slog.Logger

	// Outbox sends the mail that tells a user. nil: no mail arrives.
	Outbox account.Outbox
}
