package invite

import (
	"context"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/trust/audit"
)

// Accounts is the part of Store that it shares with account.Store, in the same words.
type Accounts interface {
	User(ctx context.Context, id string) (account.Credentials, error)
	UserByEmail(ctx context.Context, key string) (account.Credentials, error)
	UserByMailbox(ctx context.Context, key string) (account.Credentials, error)
	RoleRights(ctx context.Context, role reqctx.Role) (permission.Set, error)
	CreateMailToken(ctx context.Context, t account.MailToken) error
	TakeMailToken(ctx context.Context, hash string) error
	AllowMail(ctx context.Context, name string, every time.Duration, now time.Time) (time.Time, error)
	Record(ctx context.Context, e audit.Entry) error
	AddMail(ctx context.Context, m mail.Sealed) error
}

// Store is invitations, and accounts, in the database. A user is locked before an invitation, and an invitation before
// its link; and whoever invited before whoever accepts. Roles are locked anywhere among them: see account.Users.
type Store interface {
	Accounts

	// CreateInvitation inserts an invitation, which is open. That a mailbox has one at most is the caller's care, in
	// InTx, of which one runs at a time.
	CreateInvitation(ctx context.Context, in Invitation) error

	// HasLink reports whether the link of an invitation with that hash works at now. To learn that one has expired takes
	// as long as to learn that it never was.
	HasLink(ctx context.Context, hash string, now time.Time) (bool, error)

	// Invitation returns the open one with that id, InvitationByLink the one with the link of that hash, and
	// InvitationTo the one to a mailbox (mailbox.Key), expired or not, or an errs.NotFound error. Inside a transaction
	// it stays locked, and open, until that ends.
	Invitation(ctx context.Context, id string) (Invitation, error)
	InvitationByLink(ctx context.Context, hash string) (Invitation, error)
	InvitationTo(ctx context.Context, key string) (Invitation, error)

	// CloseInvitation notes that an open invitation was accepted or revoked. The error is an errs.NotFound if it is not
	// open; of several callers, one succeeds.
	CloseInvitation(ctx context.Context, id string, how Closing, at time.Time) error

	// ListInvitations returns a page of the open invitations, the newest first, and how many there are on all pages.
	ListInvitations(ctx context.Context, limit, offset int) ([]Invitation, int, error)

	// In returns the store in the transaction of accounts.
	In(tx account.Store) Store

	// InTx runs fn on a Store whose calls are committed together if fn returns nil and undone otherwise. One runs at a
	// time.
	InTx(ctx context.Context, fn func(Store) error) error
}

// Closing is how an invitation stops being open.
type Closing string

// The ways.
const (
	Accepted Closing = "accepted"
	Revoked  Closing = "revoked"
)
