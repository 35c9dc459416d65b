package account

import (
	"context"
	"errors"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/trust/audit"
)

var (
	// ErrNoMail is returned for helping somebody with a mail where none arrives.
	ErrNoMail = errs.New(errs.Conflict, "CONFLICT",
		"The platform sends no mail, so the user would get no link. At the machine, "+
			"stoa admin reset-password prints a password that works once.")

	// ErrBlocked is returned for helping somebody in who is blocked.
	ErrBlocked = errs.New(errs.Conflict, "CONFLICT", "The account is blocked. Unblock it first.")

	// ErrNothingToRevert is returned for an account whose address was not changed lately.
	ErrNothingToRevert = errs.New(errs.Conflict, "CONFLICT", "The address was not changed in the last seven days.")
)

// MailReset mails a user the link of ForgotPassword, for whoever helps. It is within the same limits, and beyond them
// nothing is mailed, which is no error: the user has a link. The error is ErrNoUser, ErrNoMail or ErrBlocked.
func (s *Service) MailReset(ctx context.Context, id string) error {
	if !userID.MatchString(id) {
		return ErrNoUser
	}
	token := newResetToken()
	return noUser(s.inTxWithMail(ctx, func(tx Store, post poster) error {
		c, err := tx.User(ctx, id) // before its resets: see Store
		if err != nil {
			return err
		}
		if err := s.mayHelp(ctx, tx, c, !c.Active); err != nil {
			return err
		}
		if ok, err := s.allowReset(ctx, tx, c.ID, token); !ok || err != nil {
			return err
		}
		if err := s.record(ctx, tx, audit.UserMailReset, c.ID, audit.Details{"email": c.Email}); err != nil {
			return err
		}
		return post(s.resetMail(c.Email, languageOf(ctx, c.User), token))
	}))
}

// mayHelp returns why the caller may not help a user with a mailed link, or why it would help nothing; else nil.
// blocked says that the user could not use it.
func (s *Service) mayHelp(ctx context.Context, tx Store, c Credentials, blocked bool) error {
	if err := CheckAbove(ctx, tx, c.Role); err != nil {
		return err
	}
	if !s.sendsMail() {
		return ErrNoMail
	}
	if blocked {
		return ErrBlocked
	}
	return nil
}

// RevertEmailOf is RevertEmail by whoever helps a user, with the link of the latest change, while that works. The error
// is ErrNoUser, ErrNoMail, ErrBlocked or ErrNothingToRevert.
func (s *Service) RevertEmailOf(ctx context.Context, id string) error {
	if !userID.MatchString(id) {
		return ErrNoUser
	}
	reset := newResetToken()
	err := s.inTxWithMail(ctx, func(tx Store, post poster) error {
		c, err := tx.User(ctx, id) // before its links: see Store
		if err != nil {
			return noUser(err)
		}
		// A thief may have planned the deletion, too: taking the change back calls it off.
		if err := s.mayHelp(ctx, tx, c, !c.Active && c.DeletionAt.IsZero()); err != nil {
			return err
		}
		last, err := s.lastRevert(ctx, tx, c)
		if err != nil {
			return err
		}
		return s.takeBack(ctx, tx, post, c, last, reset)
	})
	if errors.Is(err, ErrLink) {
		return ErrNothingToRevert
	}
	return err
}

// lastRevert returns the link that takes a user's latest change of address back, or ErrLink.
func (s *Service) lastRevert(ctx context.Context, tx Store, c Credentials) (last MailToken, err error) {
	links, err := tx.MailTokensOf(ctx, c.ID, LinkRevert)
	if err != nil {
		return last, err
	}
	err = ErrLink
	for _, t := range links {
		// Not by CreatedAt: clocks of replicas differ.
		if t.live(s.Now()) && (err != nil || t.Generation > last.Generation) {
			last, err = t, nil
		}
	}
	return last, err
}

// takeBack takes the change of a user's address back that the link t, which is used up, is about.
func (s *Service) takeBack(
	ctx context.Context, tx Store, post poster, c Credentials, t MailToken, reset string,
) error {
	back := s.resetMail(t.Address, languageOf(ctx, c.User), reset)
	if err := errors.Join(post(back), post(s.letterReverted(ctx, c.User))); err != nil {
		return err
	}
	return s.revert(ctx, tx, c, t, Reset{Hash: ids.HashLinkToken(reset), UserID: c.ID, CreatedAt: s.Now()})
}
