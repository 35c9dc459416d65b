package leave

import (
	"context"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/event"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/trust/audit"
)

// Accounts is the part of Store that it shares with account.Store, in the same words.
type Accounts interface {
	LockAdmins(ctx context.Context) ([]string, error)
	User(ctx context.Context, id string) (account.Credentials, error)
	RoleRights(ctx context.Context, role reqctx.Role) (permission.Set, error)
	Session(ctx context.Context, id string) (account.Session, error)
	CancelDeletion(ctx context.Context, id string) error
	Settle(ctx context.Context)
	CreateMailToken(ctx context.Context, t account.MailToken) error
	MailToken(ctx context.Context, hash string) (account.MailToken, error)
	MailTokensOf(ctx context.Context, userID string, kind account.LinkKind) ([]account.MailToken, error)
	DeleteMailTokens(ctx context.Context, userID string, kinds ...account.LinkKind) error
	Record(ctx context.Context, e audit.Entry) error
	Publish(ctx context.Context, list ...event.Event) error
	AddMail(ctx context.Context, m mail.Sealed) error
}

// Store is accounts and what they leave, in the database. Administrators are locked before a user, and a user before
// whatever is the user's.
type Store interface {
	Accounts

	// PlanDeletion notes when a user is removed, and ends what is open until then: sessions and API keys, links to
	// choose a password, and whatever depends on the user's generation, which rises. Ways in stay. The error is an
	// errs.NotFound for an unknown user.
	PlanDeletion(ctx context.Context, id string, at time.Time) error

	// DueDeletions returns the ids of at most limit users whose deletion is planned for now or earlier, the
	// longest due first.
	DueDeletions(ctx context.Context, now time.Time, limit int) ([]string, error)

	// Erase removes a user, who is locked, and all that is the user's alone. Orders and licenses are those of
	// reqctx.Deleted then, and bills from kept or earlier are blank; if the address was proven, the orders that guests
	// made with the mailbox go along. Reviews stay without their author. The audit log loses the user's addresses,
	// and if the address was proven, invitations to the mailbox go, too.
	// The error is an errs.NotFound for an unknown user.
	Erase(ctx context.Context, c account.Credentials, kept time.Time) error

	// ErasedSince returns the ids of users who were removed at or after a time.
	ErasedSince(ctx context.Context, since time.Time) ([]string, error)

	// Release does to a user who was removed what Erase did: requests that were under way may have left an order, a
	// review or an entry of the audit log since.
	Release(ctx context.Context, id string) error

	// BlankBills blanks at most limit bills of reqctx.Deleted that are from until or earlier, and returns how many.
	BlankBills(ctx context.Context, until time.Time, limit int) (int, error)

	// InTx is account.Store.InTx on a Store.
	InTx(ctx context.Context, fn func(Store) error) error
}
