package invite

import (
	"time"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// life is how long an invitation works.
const life = 72 * time.Hour

// Invitation is a role that is offered to whoever reads mail to an address. It is open until it is accepted or revoked;
// replacing it revokes it.
type Invitation struct {
	ID    string
	Email string // as it was typed
	Role  reqctx.Role
	// Inviter is who made it. Name is a user's username as it is now; the database fills it in.
	Inviter audit.Actor
	// Printed says that the link was not mailed, so that whoever has it has proven nothing.
	Printed bool
	// Hash is that of the link's token, which is not kept.
	Hash      string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// live reports whether an open invitation works at now.
func (in Invitation) live(now time.Time) bool { return now.Before(in.ExpiresAt) }

// Form says who is to be invited to what.
type Form struct {
	Email string      `json:"email"`
	Role  reqctx.Role `json:"role"`
}

// Issues returns what is wrong with in, as far as that is seen without looking the role up.
func (in Form) Issues() errs.Issues {
	issues := account.EmailIssues("email", in.Email)
	if issues.Require("role", string(in.Role)) && (in.Role == reqctx.RoleUser || !permission.IsRoleName(string(in.Role))) {
		issues.Add("role", errs.CodeUnknownValue, "%q is no role of staff.", in.Role)
	}
	return issues
}

// What keeps an invitation from being made, found, or accepted.
var (
	ErrNoMail = errs.New(errs.Conflict, "CONFLICT", "Mail is not configured here, so no invitation would arrive. "+
		"At the machine, stoa admin invite prints a link.")
	ErrStaff = errs.New(errs.Conflict, "CONFLICT", "Whoever has this address is staff already. "+
		"Change the role of that account instead.")
	ErrNone = errs.New(errs.NotFound, "NOT_FOUND",
		"There is no such invitation. It may have been accepted or revoked.")
	ErrManyMails = errs.New(errs.RateLimited, "RATE_LIMIT_EXCEEDED",
		"This mailbox has had enough mails lately, so nothing was made. Try again later.")
	// ErrMismatch does not tell an account with another address from one whose address is not confirmed.
	ErrMismatch = errs.New(errs.Forbidden, "INVITATION_MISMATCH",
		"This invitation is for another e-mail address, or yours is not confirmed yet. It still works.")
)
