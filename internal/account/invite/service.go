package invite

import (
	"context"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/mailbox"
	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/trust/audit"
)

// Service applies the rules of invitations. Its fields are required; it is safe for concurrent use.
type Service struct {
	Store    Store
	Accounts *account.Service
	Now      func() time.Time

	// Outbox records mails; nil: nobody is invited by mail. PublicURL is where people reach the platform,
	// without a slash at the end.
	Outbox    mail.Recorder
	PublicURL string
}

// Create invites an address to a role, and mails the link. An open invitation to the mailbox is replaced. The error is
// VALIDATION_ERROR, FORBIDDEN for a role, offered now or before, with a permission that the caller lacks, ErrNoMail,
// ErrStaff, or ErrManyMails with the time to wait.
func (s *Service) Create(ctx context.Context, in Form) (Invitation, error) {
	if err := in.Issues().Err(); err != nil {
		return Invitation{}, err
	}
	made, _, err := s.create(ctx, in, false)
	return made, err
}

// Print is Create for whoever has the machine. It needs no mail, sends none, and returns the link.
func (s *Service) Print(ctx context.Context, in Form) (made Invitation, link string, err error) {
	if err := in.Issues().Err(); err != nil {
		return Invitation{}, "", err
	}
	made, token, err := s.create(ctx, in, true)
	return made, s.link(token), err
}

func (s *Service) link(token string) string { return s.PublicURL + "/invitation#" + token }

func (s *Service) create(ctx context.Context, in Form, printed bool) (made Invitation, token string, err error) {
	err = untilStill(func() error {
		// Its role is looked at before the user who has the address is locked, and that one before it: so without a lock.
		before, err := s.openTo(ctx, s.Store, in.Email)
		if err != nil {
			return err
		}
		made, token, err = s.createIn(ctx, in, before, printed)
		return err
	})
	return made, token, err
}

// createIn is create where before is the open invitation to the address; empty for none.
func (s *Service) createIn(
	ctx context.Context, in Form, before Invitation, printed bool,
) (made Invitation, token string, err error) {
	err = mail.InTx(ctx, s.Outbox, s.Store.InTx, func(tx Store, post func(mail.Message) error) error {
		if err := s.mayInvite(ctx, tx, in, before, printed); err != nil {
			return err
		}
		if err := s.replace(ctx, tx, in.Email, before); err != nil {
			return err
		}
		now := s.Now().UTC().Truncate(time.Millisecond)
		token = ids.NewLinkToken()
		made = Invitation{
			ID: ids.New(), Email: in.Email, Role: in.Role, Printed: printed, Hash: ids.HashLinkToken(token),
			CreatedAt: now, ExpiresAt: now.Add(life),
		}
		entry := s.entry(ctx, audit.StaffInvite, made)
		made.Inviter = entry.Actor
		if err := tx.CreateInvitation(ctx, made); err != nil {
			return err
		}
		err := tx.CreateMailToken(ctx, account.MailToken{
			Hash: made.Hash, Kind: account.LinkInvite, Address: made.Email, CreatedAt: now, ExpiresAt: made.ExpiresAt,
		})
		if err != nil {
			return err
		}
		if err := tx.Record(ctx, entry); err != nil || printed {
			return err
		}
		wait, err := s.Accounts.MailWait(ctx, tx, made.Email)
		switch {
		case err != nil:
			return err
		case wait > 0:
			return ErrManyMails.After(wait)
		}
		invited, err := tx.UserByEmail(ctx, account.Key(made.Email))
		if err != nil && errs.KindOf(err) != errs.NotFound {
			return err
		}
		if err := post(letterInvited(made, invited.Language, s.link(token))); err != nil {
			return err
		}
		made, err = tx.Invitation(ctx, made.ID) // with the inviter's name
		return err
	})
	return made, token, err
}

// mayInvite refuses a role that does not exist or is above the caller, also that of the invitation before; then an
// invitation that would not arrive, and an address of somebody who is staff. It locks the roles, and the account that
// has the address.
func (s *Service) mayInvite(ctx context.Context, tx Store, in Form, before Invitation, printed bool) error {
	rights, err := rightsOf(ctx, tx, in.Role, before.Role)
	if err != nil {
		return err
	}
	if _, ok := rights[in.Role]; !ok {
		var issues errs.Issues
		issues.Add("role", errs.CodeUnknownValue, "There is no role %q.", in.Role)
		return issues.Err()
	}
	if err := account.CheckAbove(ctx, tx, in.Role); err != nil {
		return err
	}
	if before.live(s.Now()) { // one that expired is above nobody
		if err := account.CheckAbove(ctx, tx, before.Role); err != nil {
			return err
		}
	}
	if s.Outbox == nil && !printed {
		return ErrNoMail
	}
	for _, find := range []func() (account.Credentials, error){
		func() (account.Credentials, error) { return tx.UserByEmail(ctx, account.Key(in.Email)) },
		func() (account.Credentials, error) { return tx.UserByMailbox(ctx, mailbox.Key(in.Email)) },
	} {
		c, err := find()
		switch {
		case errs.KindOf(err) == errs.NotFound:
		case err != nil:
			return err
		case c.Role != reqctx.RoleUser:
			return ErrStaff
		}
	}
	return nil
}

// openTo returns the open invitation to an address, or an empty one.
func (s *Service) openTo(ctx context.Context, tx Store, email string) (Invitation, error) {
	open, err := tx.InvitationTo(ctx, mailbox.Key(email))
	if errs.KindOf(err) == errs.NotFound {
		return Invitation{}, nil
	}
	return open, err
}

// replace revokes the open invitation to an address, if there is one: that of before, whose role is locked, or the
// error is errMoved.
func (s *Service) replace(ctx context.Context, tx Store, email string, before Invitation) error {
	open, err := s.openTo(ctx, tx, email)
	switch {
	case err != nil || open.ID == "": // accepted or revoked meanwhile
		return err
	case open.ID != before.ID:
		return errMoved
	}
	return s.close(ctx, tx, open, Revoked)
}

// Revoke makes an open invitation worth nothing. The error is ErrNone, or FORBIDDEN for a role with a permission that
// the caller lacks.
func (s *Service) Revoke(ctx context.Context, id string) error {
	found, err := s.Store.Invitation(ctx, id)
	if err != nil {
		return errs.Missing(err, ErrNone)
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		if err := account.CheckAbove(ctx, tx, found.Role); err != nil { // locks the role, which stays
			return err
		}
		open, err := tx.Invitation(ctx, id)
		if err != nil {
			return err
		}
		if err := s.close(ctx, tx, open, Revoked); err != nil {
			return err
		}
		return tx.Record(ctx, s.entry(ctx, audit.StaffRevokeInvite, open))
	})
	return errs.Missing(err, ErrNone)
}

// close closes an open invitation, and deletes its link.
func (s *Service) close(ctx context.Context, tx Store, open Invitation, how Closing) error {
	if err := tx.CloseInvitation(ctx, open.ID, how, s.Now()); err != nil {
		return err
	}
	err := tx.TakeMailToken(ctx, open.Hash)
	if errs.KindOf(err) == errs.NotFound && how == Revoked { // it expired, and was swept
		return nil
	}
	return err
}

// List returns a page of the open invitations, the newest first, and how many there are on all pages.
func (s *Service) List(ctx context.Context, limit, offset int) ([]Invitation, int, error) {
	return s.Store.ListInvitations(ctx, limit, offset)
}

// entry is an entry of the audit log about an invitation.
func (s *Service) entry(ctx context.Context, action audit.Action, in Invitation) audit.Entry {
	return audit.New(ctx, s.Now(), action, audit.Target{Type: "invitation", ID: in.ID},
		audit.Details{"email": in.Email, "role": string(in.Role)})
}
