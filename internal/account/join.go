package account

import (
	"context"

	"stoa/internal/account/mailbox"
	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/template"
	"stoa/internal/trust/audit"
)

// Newcomer is somebody who has an invitation (package invite), and no session of an account with its address.
type Newcomer struct {
	Email string
	Role  reqctx.Role
	// Proves says that the invitation was mailed to Email: whoever has it reads that mail.
	Proves bool

	Username, Password string
}

// Offer is an invitation, in the transaction in which somebody accepts it. The functions are called in this order, so
// that users are locked before the invitation.
type Offer struct {
	// Check locks the role, and whoever offers it. It refuses what they could not offer now.
	Check func(tx Store) error
	// Use locks the offer, and uses it up, if that may be.
	Use func(tx Store) error
	// Done is called with the user, who is locked.
	Done func(tx Store, c Credentials) error
}

// Join gives a newcomer an account with their role, and signs them in. If the newcomer proves the mailbox, an account
// that nobody has proven is reclaimed, and gets the name and the password; otherwise, and for any other account with
// the address, the error is ErrTaken. It is ErrTaken for a username that is taken, too; VALIDATION_ERROR,
// password.ErrBusy, or that of the offer, which comes before ErrTaken. An invitation opens a closed registration.
func (s *Service) Join(ctx context.Context, n Newcomer, offer Offer) (Tokens, error) {
	u := User{Email: n.Email, Username: n.Username, Role: n.Role}
	if err := s.notOwnName("password", n.Password, u); err != nil {
		return Tokens{}, err
	}
	c, err := s.newUser(ctx, u, n.Password)
	if err != nil {
		return Tokens{}, err
	}
	if n.Proves {
		c.ProvenAt = c.CreatedAt
	}
	key, err := s.Ring.Signer(ctx)
	if err != nil {
		return Tokens{}, err
	}
	var session Session
	err = s.inTxWithMail(ctx, func(tx Store, post poster) error {
		if err := offer.Check(tx); err != nil {
			return err
		}
		// It stays locked: see Offer.
		_, err := tx.UserByMailbox(ctx, mailbox.Key(c.Email))
		if err := ignore(err, errs.NotFound); err != nil {
			return err
		}
		if err := offer.Use(tx); err != nil {
			return err
		}
		member, err := s.member(ctx, tx, post, c)
		if err != nil {
			return err
		}
		session, u = s.newSession(ctx, member.User, key), member.User
		if err := s.noteBreached(ctx, tx, post, u, n.Password); err != nil {
			return err
		}
		if err := offer.Done(tx, member); err != nil {
			return err
		}
		return s.openFirst(ctx, tx, session)
	})
	if errs.KindOf(err) == errs.Conflict {
		return Tokens{}, ErrTaken
	} else if err != nil {
		return Tokens{}, err
	}
	return s.tokens(ctx, u, session, session.Refresh)
}

// member makes the account of a newcomer, or takes the one over that nobody has proven. It returns the user, locked.
func (s *Service) member(ctx context.Context, tx Store, post poster, c Credentials) (Credentials, error) {
	taken, err := tx.UserByMailbox(ctx, mailbox.Key(c.Email))
	if errs.KindOf(err) == errs.NotFound {
		return c, s.newMember(ctx, tx, post, c)
	} else if err != nil {
		return c, err
	}
	if c.ProvenAt.IsZero() || !taken.Active || !taken.ProvenAt.IsZero() || taken.isStaff() {
		return c, ErrTaken
	}
	now, err := s.provenOutside(ctx, tx, taken)
	if err != nil {
		return c, err
	}
	if err := s.record(ctx, tx, audit.UserVerifyEmail, now.ID, audit.Details{"email": now.Email}); err != nil {
		return c, err
	}
	if err := tx.SetUsername(ctx, now.ID, c.Username); err != nil {
		return c, err
	}
	if err := tx.SetPassword(ctx, now.ID, c.PasswordHash); err != nil {
		return c, err
	}
	if err := post(s.letterTakenOver(ctx, now.User)); err != nil {
		return c, err
	}
	before, after := now.User, now.User
	after.Username, after.Role = c.Username, c.Role
	if err := s.saveUser(ctx, tx, before, after); err != nil {
		return c, err
	}
	return tx.User(ctx, now.ID)
}

// newMember stores a newcomer's account.
func (s *Service) newMember(ctx context.Context, tx Store, post poster, c Credentials) error {
	if free, err := s.isFree(ctx, tx, c.Email); err != nil {
		return err
	} else if !free {
		return ErrTaken
	}
	if err := s.createUser(ctx, tx, c); err != nil {
		return err
	}
	list := []event.Event{event.New(s.Now(), event.UserRegistered, event.Names{UserID: c.ID})}
	if c.ProvenAt.IsZero() {
		if err := s.askProof(ctx, tx, c, post); err != nil {
			return err
		}
	} else {
		list = append(list, event.New(s.Now(), event.UserEmailVerified, event.Names{UserID: c.ID}))
		if err := s.record(ctx, tx, audit.UserVerifyEmail, c.ID, audit.Details{"email": c.Email}); err != nil {
			return err
		}
	}
	if c.isAdmin() {
		if err := tx.DropSetup(ctx); err != nil {
			return err
		}
	}
	return tx.Publish(ctx, list...)
}

// JoinAs gives the user of a session a role, and ends all their other sessions. Whoever is staff already keeps their
// role: the error is ErrLink. It is ErrToken for a session that has ended, ErrStaffMethod for one that began in a way
// that is not for staff, or that of the offer.
func (s *Service) JoinAs(
	ctx context.Context, userID, sessionID string, role reqctx.Role, offer Offer,
) (u User, err error) {
	err = s.Store.InTx(ctx, func(tx Store) error {
		if err := offer.Check(tx); err != nil {
			return err
		}
		c, err := tx.User(ctx, userID)
		if err != nil {
			return errs.Missing(err, ErrToken)
		}
		session, err := tx.Session(ctx, sessionID)
		if err != nil {
			return errs.Missing(err, ErrToken)
		}
		if err := offer.Use(tx); err != nil {
			return err
		}
		if err := offer.Done(tx, c); err != nil {
			return err
		}
		if c.isStaff() {
			return ErrLink
		}
		if closed, err := closedToStaff(ctx, tx, userID); err != nil {
			return err
		} else if closed(session) {
			return ErrStaffMethod
		}
		u = c.User
		u.Role = role
		if err := s.saveUser(ctx, tx, c.User, u); err != nil {
			return err
		}
		return tx.DeleteSessionsExcept(ctx, userID, sessionID)
	})
	return u, err
}

// Reads reports whether a user is the one who reads mail to an address: it is theirs, and proven where anything can be.
func (s *Service) Reads(c Credentials, address string) bool {
	return mailbox.Same(c.Email, address) && (!c.ProvenAt.IsZero() || !s.sendsMail())
}

// IsTaken reports whether Join would refuse a newcomer with that address, whatever their name.
func (s *Service) IsTaken(ctx context.Context, address string, proves bool) (bool, error) {
	c, err := s.Store.UserByMailbox(ctx, mailbox.Key(address))
	if errs.KindOf(err) == errs.NotFound {
		free, err := s.isFree(ctx, s.Store, address)
		return !free, err
	}
	return err != nil || !proves || !c.Active || !c.ProvenAt.IsZero() || c.isStaff(), err
}

// EmailIssues returns what is wrong with an address in a form.
func EmailIssues(path, value string) errs.Issues {
	var f faults
	f.emailAt(path, value)
	return f.Issues
}

// letterTakenOver tells whoever reads u's mail that what the account had before is gone.
func (s *Service) letterTakenOver(ctx context.Context, u User) letter {
	return letterTo(ctx, u, template.ReclaimedByInvitation, s.now())
}
