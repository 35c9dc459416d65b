package account

import (
	"context"

	"stoa/internal/trust/audit"
)

// RemoveTOTP switches the user's app off. The error is ErrNoTOTP if none is on.
func (s *Service) RemoveTOTP(ctx context.Context, userID string) error {
	removed, err := s.removeFactors(ctx, userID)
	if err == nil && !removed {
		err = ErrNoTOTP
	}
	return err
}

// RemoveFactors removes all of the user's second factors. Having none is not an error.
func (s *Service) RemoveFactors(ctx context.Context, userID string) error {
	_, err := s.removeFactors(ctx, userID)
	return err
}

// removeFactors removes the user's second factors, and tells the user by mail. It reports whether there were any.
func (s *Service) removeFactors(ctx context.Context, userID string) (removed bool, err error) {
	err = s.inTxWithMail(ctx, func(tx Store, post func(letter) error) error {
		removed = false
		c, err := tx.User(ctx, userID) // before its factors: see Store
		if err != nil {
			return noUser(err)
		}
		f, err := tx.SecondFactors(ctx, userID)
		if err != nil || !f.Any() {
			return err
		}
		removed = true
		return s.dropFactors(ctx, tx, post, c)
	})
	return removed, err
}

// dropFactors removes the second factors of a user, and whatever rests on them: recovery codes, sign-ins that wait
// for one, the level of sessions, and the links that remove them. The user is told by mail. c is locked.
func (s *Service) dropFactors(ctx context.Context, tx Store, post func(letter) error, c Credentials) error {
	if err := tx.DeleteTOTP(ctx, c.ID); err != nil {
		return err
	}
	if err := tx.DeleteRecoveryCodes(ctx, c.ID); err != nil {
		return err
	}
	if err := tx.DeleteChallenges(ctx, c.ID); err != nil {
		return err
	}
	if err := tx.LowerSessions(ctx, c.ID); err != nil {
		return err
	}
	if err := tx.DeleteMailTokens(ctx, c.ID, LinkNotMe); err != nil {
		return err
	}
	if err := s.dropFactorReset(ctx, tx, c.ID); err != nil {
		return err
	}
	if err := s.record(ctx, tx, audit.UserRemoveTOTP, c.ID, audit.Details{"email": c.Email}); err != nil {
		return err
	}
	return s.tell(ctx, tx, post, c.User, factorRemoved())
}

// UndoFactor removes the second factor that the mail with that token told of, and ends all sessions: whoever reads
// mail to the address says that somebody else switched it on. It needs nobody to be signed in, because the factor
// would keep its owner out. The error is VALIDATION_ERROR or ErrLink.
func (s *Service) UndoFactor(ctx context.Context, token string) error {
	t, err := s.link(ctx, s.Store, LinkNotMe, token)
	if err != nil {
		return err
	}
	return noLink(s.inTxWithMail(ctx, func(tx Store, post func(letter) error) error {
		c, err := tx.User(ctx, t.UserID) // before its links: see Store
		if err != nil {
			return err
		}
		if err := tx.TakeMailToken(ctx, t.Hash); err != nil {
			return err
		}
		app, err := tx.TOTP(ctx, c.ID)
		if err != nil {
			return err
		}
		if !app.ConfirmedAt.Equal(t.CreatedAt) { // another one
			return ErrLink
		}
		if err := s.dropFactors(ctx, tx, post, c); err != nil {
			return err
		}
		// With it goes what the same person may have begun, such as a change of the address.
		if err := tx.RaiseGeneration(ctx, c.ID); err != nil {
			return err
		}
		return tx.DeleteSessionsExcept(ctx, c.ID, "")
	}))
}
