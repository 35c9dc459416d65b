package invite

import (
	"context"
	"errors"
	"slices"

	"stoa/internal/account"
	"stoa/internal/account/staff"
	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
	"stoa/internal/trust/audit"
)

// Accept gives the role of an invitation to the user of a session, whose proven address is the one that was invited.
// The error is VALIDATION_ERROR, account.ErrLink, also where the inviter could not invite them now, ErrMismatch or
// account.ErrStaffMethod, after which the invitation still works, or account.ErrToken for a session that has ended. Of
// several calls, on any replicas, one succeeds.
func (s *Service) Accept(ctx context.Context, userID, sessionID, token string) (u account.User, err error) {
	err = s.accepting(ctx, token, func(found found) error {
		u, err = s.Accounts.JoinAs(ctx, userID, sessionID, found.Role, s.offer(ctx, found, func(c account.Credentials) error {
			if !s.Accounts.Reads(c, found.Email) {
				return ErrMismatch
			}
			return nil
		}))
		return err
	})
	return u, err
}

// Join makes an account for whoever has the link of an invitation, with its role, and signs it in. An account with the
// address that nobody has proven is reclaimed, and gets the name and the password, if the link was mailed. The error is
// VALIDATION_ERROR with every fault, account.ErrLink as in Accept, account.ErrTaken for any other account with the
// address and for a name that is taken, or password.ErrBusy. After any error but account.ErrLink the invitation still
// works.
func (s *Service) Join(ctx context.Context, in account.NewAccount) (t account.Tokens, err error) {
	if err := s.Accounts.NewAccountIssues(in).Err(); err != nil {
		return account.Tokens{}, err
	}
	// First without a lock, so that tokens that do not work cannot keep the hasher busy.
	err = s.accepting(ctx, in.Token, func(found found) error {
		newcomer := account.Newcomer{
			Email: found.Email, Username: in.Username, Password: in.Password, Role: found.Role, Proves: !found.Printed,
		}
		t, err = s.Accounts.Join(ctx, newcomer, s.offer(ctx, found, func(account.Credentials) error { return nil }))
		return err
	})
	return t, err
}

// found is an invitation as it is without a lock, and the role that whoever made it has; empty unless it is a user.
type found struct {
	Invitation

	inviters reqctx.Role
}

// errMoved is returned where what was looked up without a lock is another once it is locked.
var errMoved = errors.New("invite: another than a moment ago")

// untilStill calls do until it does not return errMoved.
func untilStill(do func() error) error {
	for {
		if err := do(); !errors.Is(err, errMoved) {
			return err
		}
	}
}

// accepting looks an invitation up, and has do accept it.
func (s *Service) accepting(ctx context.Context, token string, do func(found) error) error {
	return untilStill(func() error {
		found, err := s.find(ctx, token)
		if err != nil {
			return err
		}
		return do(found)
	})
}

// find returns the invitation with a token that works. The error is VALIDATION_ERROR, account.ErrLink, or errMoved.
func (s *Service) find(ctx context.Context, token string) (in found, err error) {
	if in.Invitation, err = s.lookUp(ctx, s.Store, token); err != nil {
		return in, err
	}
	if in.Inviter.Kind == audit.User {
		c, err := s.Store.User(ctx, in.Inviter.ID)
		if err != nil {
			return in, errs.Missing(err, account.ErrLink)
		}
		in.inviters = c.Role
	}
	return in, s.check(ctx, s.Store, in)
}

// offer is what accepts an invitation, if suits does not refuse the user.
func (s *Service) offer(ctx context.Context, in found, suits func(account.Credentials) error) account.Offer {
	return account.Offer{
		Check: func(tx account.Store) error { return s.check(ctx, s.Store.In(tx), in) },
		Use:   func(tx account.Store) error { return s.use(ctx, s.Store.In(tx), in.ID) },
		Done: func(tx account.Store, c account.Credentials) error {
			if err := suits(c); err != nil {
				return err
			}
			return tx.Record(ctx, s.accepted(ctx, in.Invitation, c.ID))
		},
	}
}

// Preview is what a page shows of an invitation.
type Preview struct {
	Invitation

	// HasAccount says that somebody has an account with the address, in whose session the invitation is accepted.
	HasAccount bool
}

// Preview returns what the invitation with a token is, and uses nothing up. The error is VALIDATION_ERROR or
// account.ErrLink.
func (s *Service) Preview(ctx context.Context, token string) (Preview, error) {
	var preview Preview
	err := s.accepting(ctx, token, func(in found) (err error) {
		preview.Invitation = in.Invitation
		preview.HasAccount, err = s.Accounts.IsTaken(ctx, in.Email, !in.Printed)
		return err
	})
	return preview, err
}

// lookUp returns the live invitation with a token, or account.ErrLink.
func (s *Service) lookUp(ctx context.Context, st Store, token string) (Invitation, error) {
	if err := (account.LinkToken{Token: token}).Issues().Err(); err != nil {
		return Invitation{}, err
	}
	hash := ids.HashLinkToken(token)
	if has, err := st.HasLink(ctx, hash, s.Now()); err != nil {
		return Invitation{}, err
	} else if !has {
		return Invitation{}, account.ErrLink
	}
	found, err := st.InvitationByLink(ctx, hash)
	return found, errs.Missing(err, account.ErrLink)
}

// use uses an invitation up, in the transaction of what it is for. It locks the invitation and the link.
func (s *Service) use(ctx context.Context, tx Store, id string) error {
	open, err := tx.Invitation(ctx, id)
	if err == nil && !open.live(s.Now()) {
		err = account.ErrLink
	}
	if err == nil {
		err = s.close(ctx, tx, open, Accepted)
	}
	return errs.Missing(err, account.ErrLink)
}

// check returns account.ErrLink unless whoever invited could still do so: to that role, as it is now. It locks the
// roles and the inviter.
func (s *Service) check(ctx context.Context, tx Store, in found) error {
	rights, err := rightsOf(ctx, tx, in.Role, in.inviters)
	if err != nil {
		return err
	}
	if _, ok := rights[in.Role]; !ok {
		return account.ErrLink
	}
	switch in.Inviter.Kind {
	case audit.User:
		return s.checkInviter(ctx, tx, in, rights)
	case audit.Service: // which has all rights, while there are services
		if s.Accounts.Services == nil {
			return account.ErrLink
		}
	case audit.CLI, audit.System: // whoever has the machine is above everybody
	}
	return nil
}

// rightsOf returns what roles allow, those that there are. They stay so until the transaction ends.
func rightsOf(ctx context.Context, tx Store, roles ...reqctx.Role) (map[reqctx.Role]permission.Set, error) {
	slices.Sort(roles)
	all := map[reqctx.Role]permission.Set{}
	for _, role := range slices.Compact(roles) {
		rights, err := tx.RoleRights(ctx, role)
		switch {
		case err == nil:
			all[role] = rights
		case errs.KindOf(err) != errs.NotFound:
			return nil, err
		}
	}
	return all, nil
}

func (s *Service) checkInviter(ctx context.Context, tx Store, in found, rights map[reqctx.Role]permission.Set) error {
	c, err := tx.User(ctx, in.Inviter.ID)
	if err != nil {
		return errs.Missing(err, account.ErrLink)
	}
	if c.Role != in.inviters {
		return errMoved
	}
	own := rights[c.Role] // none for a role that is gone
	if !c.Active || !own.Has(permission.WriteStaff) {
		return account.ErrLink
	}
	as := reqctx.WithCaller(ctx, reqctx.Caller{UserID: c.ID, Role: c.Role, Rights: own})
	if errs.KindOf(staff.CheckAbove(as, in.Role, rights[in.Role])) == errs.Forbidden {
		return account.ErrLink
	}
	return nil
}

// accepted is the entry about a user who accepted an invitation.
func (s *Service) accepted(ctx context.Context, in Invitation, userID string) audit.Entry {
	return audit.New(ctx, s.Now(), audit.StaffAccept, audit.Target{Type: "user", ID: userID},
		audit.Details{"email": in.Email, "role": string(in.Role), "invitation": in.ID})
}

// letterInvited has the link of an invitation. It says the same whether the address has an account or not, in the
// language of the account if it has one that is known; never in that of whoever invites. The token is in the fragment,
// which browsers do not send to servers (contract 2.8).
func letterInvited(in Invitation, language, link string) mail.Message {
	return template.Invited.Message(in.Email, language, map[string]string{
		template.Role: string(in.Role), template.Until: template.Moment(in.ExpiresAt), template.Link: link,
	})
}
