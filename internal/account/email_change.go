package account

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/trust/audit"
)

// ErrEmailTaken is returned for an address that another account has, or had until lately.
var ErrEmailTaken = errs.New(errs.Conflict, "EMAIL_TAKEN", "Another account has this e-mail address. Choose another.")

// EmailChange is a user's form to have another address.
type EmailChange struct {
	New string `json:"newEmail"`
}

// Issues returns what is wrong with ch.
func (ch EmailChange) Issues() errs.Issues {
	var f faults
	f.emailAt("newEmail", ch.New)
	return f.Issues
}

// ChangeEmail mails a link to a new address of the user, and a notice without a link to the present one.
// Nothing changes until the link is opened in a session of the user. A later request voids the earlier.
// Whether somebody has the new address is not told. The error is VALIDATION_ERROR, or ErrToken for a session that has
// ended.
func (s *Service) ChangeEmail(ctx context.Context, userID, sessionID, to string) error {
	issues := EmailChange{to}.Issues()
	if err := issues.Err(); err != nil {
		return err
	}
	return s.inTxWithMail(ctx, func(tx Store, post poster) error {
		c, err := tx.User(ctx, userID) // before its links: see Store
		if err != nil {
			return noUser(err)
		}
		if err := s.stillIn(ctx, tx, sessionID); err != nil {
			return err
		}
		if to == c.Email {
			issues.Add("newEmail", errs.CodeInvalid, "newEmail is the address that the account has.")
			return issues.Err()
		}
		if err := tx.DeleteMailTokens(ctx, c.ID, LinkChange); err != nil {
			return err
		}
		ok, err := s.mayMail(ctx, tx, to)
		if err != nil {
			return err
		}
		t, token := s.newLink(LinkChange, c, to)
		if err := tx.CreateMailToken(ctx, t); err != nil {
			return err
		}
		if ok {
			if err := post(s.letterChange(ctx, c.User, to, token)); err != nil {
				return err
			}
		}
		return post(s.letterChangeAsked(ctx, c.User))
	})
}

// CancelEmailChange voids the link that would change the user's address. Having none is not an error.
func (s *Service) CancelEmailChange(ctx context.Context, userID string) error {
	return s.Store.InTx(ctx, func(tx Store) error {
		if _, err := tx.User(ctx, userID); err != nil { // before its links: see Store
			return noUser(err)
		}
		return tx.DeleteMailTokens(ctx, userID, LinkChange)
	})
}

// ConfirmEmail gives a user the address to which the link with that token was mailed. The address is proven
// then. Other sessions end, and links to choose a new password. The former address gets a link that takes
// the change back, and nobody else may take it meanwhile. The error is VALIDATION_ERROR, ErrLink, ErrToken
// for a session that has ended, or ErrEmailTaken, after which the link still works.
func (s *Service) ConfirmEmail(ctx context.Context, userID, sessionID, token string) error {
	return s.inTxWithMail(ctx, func(tx Store, post poster) error {
		c, err := tx.User(ctx, userID) // before its links: see Store
		if err != nil {
			return noUser(err)
		}
		if err := s.stillIn(ctx, tx, sessionID); err != nil {
			return err
		}
		t, err := s.link(ctx, tx, LinkChange, token)
		if err != nil {
			return err
		}
		if t.UserID != c.ID || t.Generation != c.Generation {
			return ErrLink
		}
		to := t.Address
		if err := s.moveEmail(ctx, tx, c, to); err != nil {
			return err
		}
		if err := tx.DeleteMailTokens(ctx, c.ID, LinkChange, LinkVerify, LinkDisown); err != nil {
			return err
		}
		if err := s.shutOut(ctx, tx, c.ID, kept{session: sessionID}); err != nil {
			return err
		}
		revert, back := s.newLink(LinkRevert, c, c.Email)
		revert.Held, revert.Proven = true, c.ProvenAt
		if err := tx.CreateMailToken(ctx, revert); err != nil {
			return err
		}
		if err := post(s.letterEmailChanged(ctx, c.User, back)); err != nil {
			return err
		}
		details := audit.Details{"email": to, "from": c.Email}
		if err := s.record(ctx, tx, audit.UserChangeEmail, c.ID, details); err != nil {
			return err
		}
		return s.announce(ctx, tx, event.UserEmailChanged, c.ID)
	})
}

// moveEmail gives a user a proven address, or returns ErrEmailTaken.
func (s *Service) moveEmail(ctx context.Context, tx Store, c Credentials, to string) error {
	err := tx.SetEmail(ctx, c.ID, to, s.Now())
	if errs.KindOf(err) == errs.Conflict {
		return ErrEmailTaken
	} else if err != nil {
		return err
	}
	// After it is set: whoever gives it up meanwhile commits first, and is seen here.
	held, err := tx.HasHeld(ctx, c.ID, Key(to), s.Now())
	if err == nil && held {
		err = ErrEmailTaken
	}
	return err
}

// RevertEmail takes a change of a user's address back, with the token that was mailed to the former address.
// It signs nobody in: the password goes, all sessions end and whatever was added since the change, and the
// former address gets a link to choose a new password. The error is VALIDATION_ERROR or ErrLink.
func (s *Service) RevertEmail(ctx context.Context, token string) error {
	reset := newResetToken()
	return s.byLink(ctx, LinkRevert, token, func(tx Store, post poster, c Credentials, t MailToken) error {
		return s.takeBack(ctx, tx, post, c, t, reset)
	})
}

// revert is RevertEmail for a locked user and the link t. It takes t, unless that is done, and those of later changes.
func (s *Service) revert(ctx context.Context, tx Store, c Credentials, t MailToken, reset Reset) error {
	later, err := tx.MailTokensOf(ctx, c.ID, LinkRevert)
	if err != nil {
		return err
	}
	for _, l := range later {
		if l.Generation < t.Generation { // not CreatedAt: clocks of replicas differ
			continue
		}
		if err := tx.TakeMailToken(ctx, l.Hash); err != nil { // else the change comes back
			return err
		}
	}
	// The link that keeps the account may have gone to the address that it has now.
	if err := tx.DeleteMailTokens(ctx, c.ID, LinkVerify, LinkDisown, LinkChange, LinkKeepAccount); err != nil {
		return err
	}
	if err := tx.SetEmail(ctx, c.ID, t.Address, t.Proven); err != nil {
		if errs.KindOf(err) == errs.Conflict { // the previous release does not know what is held
			return ErrLink
		}
		return err
	}
	if err := s.replacePassword(ctx, tx, c.ID, "", kept{}); err != nil {
		return err
	}
	if err := tx.RemoveWays(ctx, c.ID, Ways{Factors: true, Since: t.CreatedAt}); err != nil {
		return err
	}
	if err := tx.CancelDeletion(ctx, c.ID); err != nil {
		return err
	}
	if err := tx.CreateReset(ctx, reset); err != nil {
		return err
	}
	details := audit.Details{"email": t.Address, "from": c.Email}
	if err := s.record(ctx, tx, audit.UserRevertEmail, c.ID, details); err != nil {
		return err
	}
	return s.announce(ctx, tx, event.UserEmailChanged, c.ID)
}
