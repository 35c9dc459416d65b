package account

import (
	"context"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/trust/audit"
)

// RemoveTOTP switches the user's app off. The error is ErrNoTOTP if none is on.
func (s *Service) RemoveTOTP(ctx context.Context, userID, sessionID string) error {
	return s.withoutSome(ctx, userID, sessionID, func(tx Store, post poster, c Credentials, f SecondFactors) error {
		if !f.TOTP {
			return ErrNoTOTP
		}
		return s.dropTOTP(ctx, tx, post, c)
	})
}

// RemovePasskey deletes a passkey of the user of a session. Sessions that rest on it end; that session only if it began
// with it. The error is ErrNoPasskey, or ErrLastWay.
func (s *Service) RemovePasskey(ctx context.Context, userID, sessionID, id string) error {
	return s.withoutSome(ctx, userID, sessionID, func(tx Store, post poster, c Credentials, f SecondFactors) error {
		list, err := tx.PasskeysOf(ctx, userID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(p Passkey) bool { return p.ID == id })
		if i < 0 {
			return ErrNoPasskey
		}
		if list[i].PartyID == s.partyID() {
			f.Passkeys--
		}
		if err := s.keepsAWay(ctx, tx, c, f); err != nil {
			return err
		}
		return s.dropPasskeys(ctx, tx, post, c, sessionID, list[i])
	})
}

// keepsAWay returns ErrLastWay if nothing but f would sign a user in, and that is too little: without a password and
// without an account elsewhere it takes two passkeys that work here, or one and recovery codes, because devices get
// lost. c is locked.
func (s *Service) keepsAWay(ctx context.Context, tx Store, c Credentials, f SecondFactors) error {
	if c.PasswordHash != "" || f.Passkeys > 1 || f.Passkeys == 1 && f.RecoveryCodes > 0 {
		return nil
	}
	if elsewhere, err := tx.HasIdentity(ctx, c.ID); err != nil || elsewhere {
		return err
	}
	return ErrLastWay
}

// RemoveFactors removes all second factors of the user of a session. Having none is not an error. The error is
// ErrLastWay if a passkey is the last way in.
func (s *Service) RemoveFactors(ctx context.Context, userID, sessionID string) error {
	return s.withoutSome(ctx, userID, sessionID, func(tx Store, post poster, c Credentials, f SecondFactors) error {
		if !f.Any() {
			return nil
		}
		if err := s.keepsAWay(ctx, tx, c, SecondFactors{}); err != nil {
			return err
		}
		return s.dropFactors(ctx, tx, post, c, sessionID)
	})
}

// dropFactors removes all second factors of a user, and whatever rests on them. Of the user's sessions, the one with an
// id goes on if it began with something else. The user is told by mail. c is locked.
func (s *Service) dropFactors(ctx context.Context, tx Store, post poster, c Credentials, except string) error {
	f, err := s.factorsOf(ctx, tx, c.ID)
	if err != nil {
		return err
	}
	if f.Passkeys+f.Foreign > 0 {
		list, err := tx.PasskeysOf(ctx, c.ID)
		if err != nil {
			return err
		}
		if err := s.dropPasskeys(ctx, tx, post, c, except, list...); err != nil {
			return err
		}
	}
	if f.TOTP {
		return s.dropTOTP(ctx, tx, post, c)
	}
	return nil
}

// dropTOTP removes the app of a user, and whatever rests on it. The user is told by mail. c is locked.
func (s *Service) dropTOTP(ctx context.Context, tx Store, post poster, c Credentials) error {
	if err := tx.DeleteTOTP(ctx, c.ID); err != nil {
		return err
	}
	if err := tx.LowerSessions(ctx, c.ID); err != nil {
		return err
	}
	left, err := s.dropRest(ctx, tx, c)
	if err != nil {
		return err
	}
	if err := s.record(ctx, tx, audit.UserRemoveTOTP, c.ID, audit.Details{"email": c.Email}); err != nil {
		return err
	}
	return s.mailChange(ctx, tx, post, c.User, factorRemoved(left))
}

// dropPasskeys removes passkeys of a user, and whatever rests on them. Of the user's sessions, the one with an id goes
// on if it began with something else. The user is told by mail. c is locked.
func (s *Service) dropPasskeys(
	ctx context.Context, tx Store, post poster, c Credentials, except string, list ...Passkey,
) error {
	for _, p := range list {
		if err := tx.DeletePasskey(ctx, c.ID, p.ID); err != nil {
			return err
		}
		if err := tx.EndSessionsBy(ctx, c.ID, p.method(), except); err != nil {
			return err
		}
		if err := s.lower(ctx, tx, except, p.method()); err != nil {
			return err
		}
		if err := s.record(ctx, tx, audit.UserRemovePasskey, c.ID,
			audit.Details{"email": c.Email, "passkey": p.ID}); err != nil {
			return err
		}
	}
	left, err := s.dropRest(ctx, tx, c)
	if err != nil {
		return err
	}
	return s.mailChange(ctx, tx, post, c.User, passkeyRemoved(len(list), left))
}

// lower takes a method from those of a session, and ends it if it began with that. Having no such session
// is not an error.
func (s *Service) lower(ctx context.Context, tx Store, sessionID, method string) error {
	session, err := tx.Session(ctx, sessionID)
	if err != nil {
		return ignore(err, errs.NotFound)
	}
	switch slices.Index(session.Methods, method) {
	case -1:
		return nil
	case 0:
		return tx.DeleteSession(ctx, session.UserID, session.ID)
	}
	rest := slices.DeleteFunc(session.Methods, func(m string) bool { return m == method })
	return tx.SetLevel(ctx, session.ID, levelOf(rest), rest)
}

// dropRest removes what rests on a factor that was removed, or on there being any: sign-ins that wait for one, recovery
// codes, and links and plans that remove factors. It returns what is left. c is locked.
func (s *Service) dropRest(ctx context.Context, tx Store, c Credentials) (left SecondFactors, err error) {
	if err := tx.DeleteChallenges(ctx, c.ID); err != nil {
		return left, err
	}
	if _, err := s.endFactorReset(ctx, tx, c); err != nil { // it was for what there was
		return left, err
	}
	if left, err = s.factorsOf(ctx, tx, c.ID); err != nil || left.Any() {
		return left, err
	}
	if err := tx.DeleteRecoveryCodes(ctx, c.ID); err != nil {
		return left, err
	}
	if err := tx.DeleteMailTokens(ctx, c.ID, LinkNotMe); err != nil {
		return left, err
	}
	return left, tx.LowerSessions(ctx, c.ID)
}

// UndoFactor removes the second factor that the mail with that token told of, and ends all sessions: whoever reads
// mail to the address says that somebody else switched it on. It needs nobody to be signed in, because the factor
// would keep its owner out. Recovery codes that were made since go with it. The error is VALIDATION_ERROR or ErrLink.
func (s *Service) UndoFactor(ctx context.Context, token string) error {
	return s.byLink(ctx, LinkNotMe, token, func(tx Store, post poster, c Credentials, t MailToken) error {
		if err := s.undo(ctx, tx, post, c, t); err != nil {
			return err
		}
		if err := tx.DeleteRecoveryCodesSince(ctx, c.ID, t.CreatedAt); err != nil {
			return err
		}
		// With it goes what the same person may have begun, such as a change of the address.
		if err := tx.RaiseGeneration(ctx, c.ID); err != nil {
			return err
		}
		return tx.DeleteSessionsExcept(ctx, c.ID, "")
	})
}

// undo removes the factor that a link names. The error is an errs.NotFound, or ErrLink, if it is gone.
func (s *Service) undo(ctx context.Context, tx Store, post poster, c Credentials, t MailToken) error {
	if t.Passkey == "" {
		app, err := tx.TOTP(ctx, c.ID)
		if err != nil {
			return err
		}
		if !app.ConfirmedAt.Equal(t.CreatedAt) { // another one
			return ErrLink
		}
		return s.dropTOTP(ctx, tx, post, c)
	}
	list, err := tx.PasskeysOf(ctx, c.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(p Passkey) bool { return p.ID == t.Passkey })
	if i < 0 {
		return ErrLink
	}
	return s.dropPasskeys(ctx, tx, post, c, "", list[i])
}
