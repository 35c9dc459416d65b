package account

import (
	"time"

	"stoa/internal/base/errs"
)

// Errors returned by Service. Each covers all the reasons that a client must not be
// able to tell apart.
var (
	ErrTaken = errs.New(errs.Invalid, "REGISTRATION_FAILED",
		"This e-mail address or username is already taken.")
	ErrLogin = errs.New(errs.Unauthenticated, "LOGIN_FAILED", "The e-mail address or the password is wrong.")
	ErrToken = errs.New(errs.Unauthenticated, "UNAUTHORIZED",
		"The access token is invalid or has expired. Sign in again.")
	ErrRefresh = errs.New(errs.Unauthenticated, "REFRESH_FAILED",
		"This refresh token is no longer valid. Sign in again.")
	ErrNoUser         = errs.New(errs.NotFound, "USER_NOT_FOUND", "This user does not exist.")
	ErrPassword       = errs.New(errs.Invalid, "INVALID_PASSWORD", "The current password is wrong.")
	ErrChangePassword = errs.New(errs.Internal, "CHANGE_PASSWORD_FAILED",
		"The password could not be changed. Try again.")
	ErrNoSession = errs.New(errs.NotFound, "NOT_FOUND", "There is no such session.")

	// ErrLastAdministrator is returned for a change that would leave nobody to manage
	// the platform.
	ErrLastAdministrator = errs.New(errs.Conflict, "LAST_ADMINISTRATOR",
		"This is the last active administrator. Make someone else an administrator first.")

	// ErrLeaving is returned for a change of the state of a user whose deletion is planned.
	ErrLeaving = errs.New(errs.Conflict, "CONFLICT",
		"The deletion of this account is planned, and so nobody signs in to it. "+
			"Its owner can call that off with the link in the mail about it.")

	// ErrSetup does not tell a wrong token from one that no longer works.
	ErrSetup = errs.New(errs.NotFound, "NOT_FOUND",
		"This set-up link is wrong or no longer works. "+
			"While there is no administrator, each start of stoa prints a new one.")

	// ErrManyRefreshes is returned to a client that refreshes more often in ten
	// seconds than it may in an hour (contract 1.7).
	ErrManyRefreshes = errs.New(errs.RateLimited, "RATE_LIMIT_EXCEEDED",
		"This session is refreshed too often. Wait before the next refresh.").After(10 * time.Second)

	// ErrPluginToken is for the platform API, which answers it like any other invalid
	// token.
	ErrPluginToken = errs.New(errs.Unauthenticated, "UNAUTHORIZED",
		"The platform token is invalid or has expired. Use the x-platform-token of a recent request.")
)

func noUser(err error) error { return errs.Missing(err, ErrNoUser) }

// ignore returns nil for an error of the given kind.
func ignore(err error, kind errs.Kind) error {
	if errs.KindOf(err) == kind {
		return nil
	}
	return err
}
