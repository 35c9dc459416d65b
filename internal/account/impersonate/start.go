package impersonate

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// Reasons have so many characters.
const (
	minReason = 10
	maxReason = 500
)

var (
	errOff = errs.New(errs.Forbidden, "IMPERSONATION_FORBIDDEN",
		"Nobody sees this shop as somebody else does: impersonation is off here.")
	errService = errs.New(errs.Forbidden, "IMPERSONATION_FORBIDDEN",
		"Only a person who is signed in can act as somebody else.")
	errStaff       = errs.New(errs.Forbidden, "IMPERSONATION_FORBIDDEN", "Nobody acts as somebody of the staff.")
	errOneself     = errs.New(errs.Forbidden, "IMPERSONATION_FORBIDDEN", "This is you.")
	errMayNotWrite = errs.New(errs.Forbidden, "FORBIDDEN",
		"This needs the permission users:impersonate-write, which your role does not have.").
		With("permission", permission.ImpersonateToWrite)
	errInactive = errs.New(errs.Forbidden, "IMPERSONATION_FORBIDDEN", "The account is blocked. Nobody acts as its user.")

	// ErrNone is returned for an impersonation that does not exist, or not anymore.
	ErrNone = errs.New(errs.NotFound, "NOT_FOUND", "There is no such impersonation.")
)

// Request is the form of somebody who wants to see the shop as a user does.
type Request struct {
	Reason string `json:"reason"`
	Write  bool   `json:"write"`
}

// Issues returns what is wrong with r.
func (r Request) Issues() (faults errs.Issues) {
	n := utf8.RuneCountInString(strings.TrimSpace(r.Reason))
	control := func(c rune) bool { return unicode.IsControl(c) && c != '\n' }
	if n < minReason || n > maxReason || !utf8.ValidString(r.Reason) || strings.ContainsFunc(r.Reason, control) {
		faults.Add("reason", errs.CodeOutOfRange, "reason must say in %d to %d characters what this is for.", minReason,
			maxReason)
	}
	return faults
}

// Started is an impersonation that began, and the token for it.
type Started struct {
	Impersonation

	Access string
	Lasts  time.Duration // Access, in whole seconds
}

// Check returns the error with which Start would refuse the caller, if any: IMPERSONATION_FORBIDDEN, or FORBIDDEN for
// writing without the right to. It comes before anything else is asked.
func (s *Service) Check(ctx context.Context, userID string, write bool) error {
	who := reqctx.CallerFrom(ctx)
	if err := mayAct(s.Accounts.LastRules().Impersonation, who, userID); err != nil {
		return err
	}
	c, err := s.Store.User(ctx, userID)
	if err == nil {
		err = mayBe(c)
	}
	if err != nil && errs.KindOf(err) != errs.NotFound { // which is told later
		return err
	}
	return mayWrite(who, write)
}

// mayWrite returns nil if who may act as somebody in the way that is asked for.
func mayWrite(who reqctx.Caller, write bool) error {
	if write && !who.May(permission.ImpersonateToWrite) {
		return errMayNotWrite
	}
	return nil
}

// mayAct returns nil if who may act as somebody, and as the user with that id as far as that depends on who asks.
func mayAct(mode account.ImpersonationMode, who reqctx.Caller, userID string) error {
	switch {
	case mode == account.ImpersonationOff:
		return errOff
	case who.SessionID == "":
		return errService
	case who.Impersonator != "":
		return errStaff
	case who.UserID == userID:
		return errOneself
	}
	return nil
}

// mayBe returns nil if somebody may act as a user.
func mayBe(c account.Credentials) error {
	switch {
	case c.Role != reqctx.RoleUser:
		return errStaff
	case !c.Active:
		return errInactive
	}
	return nil
}

// Start begins an impersonation by the caller of the request. The error is one with IMPERSONATION_FORBIDDEN, FORBIDDEN
// for writing without the right to, account.ErrNoUser, account.ErrToken if the caller's session ended meanwhile, or
// VALIDATION_ERROR.
func (s *Service) Start(ctx context.Context, userID string, in Request) (Started, error) {
	who := reqctx.CallerFrom(ctx)
	mode := s.Accounts.LastRules().Impersonation
	if err := mayAct(mode, who, userID); err != nil {
		return Started{}, err
	}
	in.Reason = strings.TrimSpace(in.Reason)
	var started Started
	var session account.Session
	var user account.User
	posted := false
	err := s.Store.InTx(ctx, func(tx Store) error {
		posted = false
		c, err := tx.User(ctx, userID) // before any session: see account.Store
		if err == nil {
			err = mayBe(c)
		}
		if err != nil && errs.KindOf(err) != errs.NotFound {
			return err
		}
		if err := mayWrite(who, in.Write); err != nil {
			return err
		}
		if err != nil {
			return account.ErrNoUser
		}
		parent, err := tx.Session(ctx, who.SessionID) // which stays until this is committed
		if errs.KindOf(err) == errs.NotFound || err == nil && parent.UserID != who.UserID {
			return account.ErrToken
		} else if err != nil {
			return err
		}
		if err := in.Issues().Err(); err != nil {
			return err
		}
		user, session = c.User, s.session(c.User, parent, s.Accounts.EndByAge(who.Role, parent), in)
		started.Impersonation = Impersonation{
			ID: session.ID, Staff: Person{ID: who.UserID}, User: Person{ID: c.ID, Name: c.Username}, Reason: in.Reason,
			Writable: in.Write, CreatedAt: session.CreatedAt, EndsAt: session.EndsAt,
		}
		if posted = isMailed(mode) && s.Outbox != nil && !c.ProvenAt.IsZero(); posted {
			if err := s.mailUser(ctx, tx, c.User, started.Impersonation); err != nil {
				return err
			}
		}
		return s.begin(ctx, tx, session, started.Impersonation)
	})
	if err != nil {
		return Started{}, err
	}
	if posted {
		s.Outbox.Wake()
	}
	started.Lasts = session.EndsAt.Sub(session.Refresh.IssuedAt).Truncate(time.Second)
	started.Access, err = s.Accounts.AccessToken(ctx, user, session)
	return started, err
}

// session returns the session of an impersonation. It ends no later than the one in which it begins, which ends at
// aged by its age, if that is not zero.
func (s *Service) session(u account.User, parent account.Session, aged time.Time, in Request) account.Session {
	now := s.Now().UTC().Truncate(time.Millisecond)
	started := now.Truncate(time.Second) // as the token's times
	end := started.Add(Life)
	if last := parent.ExpiresAt(); last.Before(end) {
		end = last
	}
	if !aged.IsZero() && aged.Before(end) {
		end = aged
	}
	return account.Session{ // without address and program, which are nobody's business but the staff's
		ID: ids.New(), UserID: u.ID, CreatedAt: now, Level: 1, AuthenticatedAt: now, EndsAt: end,
		StandIn: account.StandIn{ID: parent.UserID, Parent: parent.ID, Writable: in.Write},
		// Of no token: none is given out.
		Refresh: account.Refresh{ID: ids.New(), IssuedAt: started},
	}
}

// begin stores an impersonation.
func (s *Service) begin(ctx context.Context, tx Store, session account.Session, i Impersonation) error {
	if err := tx.CreateSession(ctx, session); err != nil {
		return err
	}
	if err := tx.AddImpersonation(ctx, i); err != nil {
		return err
	}
	return tx.Record(ctx, audit.New(ctx, i.CreatedAt, audit.ImpersonationStart, audit.Target{Type: "user", ID: i.User.ID},
		audit.Details{"id": i.ID, "reason": i.Reason, "write": i.Writable, "endsAt": i.EndsAt.Format(time.RFC3339)}))
}
