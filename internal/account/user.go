package account

import (
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/base/text"
)

// User is somebody with an account.
//
// Email and Username are stored as given. Two of them are the same if their Key is.
type User struct {
	ID        string
	Email     string
	Username  string
	Role      reqctx.Role
	Avatar    string // image URL; empty for none
	Referral  string // the referral code given at registration; empty for none
	Active    bool   // false: the user may not sign in, and none of the user's tokens works
	CreatedAt time.Time
	Language  string // a tag: the user's choice for pages and mails; empty for none

	// DeletionAt is when the account is removed; zero if that is not planned. Active is false meanwhile, whatever
	// administrators set.
	DeletionAt time.Time
}

// Credentials are a user and the hash of the user's password. The hash is never
// shown or logged.
type Credentials struct {
	User

	// PasswordHash is empty for a user without a password.
	PasswordHash string
	// PasswordOnce says that the next sign-in with the password removes it.
	PasswordOnce bool
	// ProvenAt is when somebody proved that they read mail to Email; zero if nobody did.
	ProvenAt time.Time
	// BreachedAt is when the password was found to be a breached one; zero if it was not.
	BreachedAt time.Time
	// Generation rises with whatever voids what is pending: links that change or prove something.
	Generation int64
}

// Key returns the form in which e-mail addresses and usernames are compared and
// found: without regard to case, and to how accents are encoded.
func Key(name string) string { return text.Fold(name) }
