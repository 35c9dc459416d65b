package apikey

import (
	"context"
	"time"

	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/trust/audit"
)

// Owner is a user as far as keys are concerned.
type Owner struct {
	ID, Email, Username string
	Role                reqctx.Role
	Rights              permission.Set
	Active, Proven      bool
	Language            string // the user's choice; empty for none
	// Former are the addresses that the user had proven, and could still take back.
	Former []string
}

// Account is a service account. Its keys stand for the shop, whoever made them.
type Account struct {
	ID, Name, CreatedBy string
	CreatedAt           time.Time
	Keys                int // live ones
}

// Listed is a key as administrators see it.
type Listed struct {
	Key
	// Holder is the name of the user or of the service account.
	Holder string
	// Rights are what the user is allowed to now, or, of a service account's key, its Creator. A user who is gone or
	// deactivated is allowed nothing.
	Rights permission.Set
}

// Query selects keys.
type Query struct {
	Kind          string // "personal", "service"; empty: both
	Limit, Offset int
}

// Store is where keys are. Package store implements it. A user or a service account is always locked before the keys.
type Store interface {
	// InTx runs fn in a transaction. It commits if fn returns nil. It returns when no process answers from memory what
	// was so before.
	InTx(ctx context.Context, fn func(Store) error) error

	// Owner returns a user, or an errs.NotFound error. Inside InTx the user stays locked.
	Owner(ctx context.Context, userID string, now time.Time) (Owner, error)

	// InSession returns nil while a session lives, and otherwise an errs.NotFound error. Inside InTx its user is locked.
	InSession(ctx context.Context, sessionID string) error

	// CreateKey inserts a key.
	CreateKey(ctx context.Context, k Key) error

	// Key returns a key, revoked or not, or an errs.NotFound error. Inside InTx it stays locked.
	Key(ctx context.Context, id string) (Key, error)

	// KeysOf returns the keys of a user or of a service account that have not been revoked, the newest first.
	KeysOf(ctx context.Context, userID, accountID string) ([]Key, error)

	// ListKeys returns one page of the keys that have not been revoked and those who have them, the newest first, and
	// how many there are on all pages.
	ListKeys(ctx context.Context, q Query) ([]Listed, int, error)

	// ListedKey returns one of them, or an errs.NotFound error.
	ListedKey(ctx context.Context, id string) (Listed, error)

	// Settle is that of account.Users.
	Settle(ctx context.Context)

	// RenameKey, RevokeKey change a key that has not been revoked; else the error is an errs.NotFound.
	RenameKey(ctx context.Context, id, name string) error
	RevokeKey(ctx context.Context, id string, at time.Time) error

	// ReplaceSecret stores Hash, Previous, PreviousUntil, RenewedAt, ExpiresAt, Creator and Ceiling of k if its present
	// hash is before; else the error is an errs.NotFound. Of several callers, one succeeds.
	ReplaceSecret(ctx context.Context, k Key, before string) error

	// CreateAccount inserts a service account. The error is an errs.Conflict if its name is taken.
	CreateAccount(ctx context.Context, a Account) error

	// ServiceAccount returns a service account, or an errs.NotFound error. Inside InTx it stays locked.
	ServiceAccount(ctx context.Context, id string) (Account, error)

	// ServiceAccounts returns all service accounts by name, with the number of keys that are live at now.
	ServiceAccounts(ctx context.Context, now time.Time) ([]Account, error)

	// DeleteAccount deletes a service account and its keys. The error is an errs.NotFound if there is none.
	DeleteAccount(ctx context.Context, id string) error

	// Used notes that a key was used, unless it was within the minute before. It returns whether it was noted, and
	// whether the key had been used from that address before.
	Used(ctx context.Context, id string, at time.Time, address string) (noted, known bool, err error)

	// Record adds an entry to the audit log (audit.Store), AddMail a mail that must not be lost.
	Record(ctx context.Context, e audit.Entry) error
	AddMail(ctx context.Context, m mail.Sealed) error
}
