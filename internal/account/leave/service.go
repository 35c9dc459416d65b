package leave

import (
	"context"
	"slices"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/ids"
	"stoa/internal/message/mail"
	"stoa/internal/trust/audit"
)

// Service applies the rules of leaving. Its fields are required; it is safe for concurrent use.
type Service struct {
	Store Store
	Now   func() time.Time

	// Wait is how long a planned deletion can be called off. 0: accounts are removed at once.
	Wait time.Duration
	// KeepBills is how long after an order the bill of somebody who left is kept.
	KeepBills time.Duration

	// Outbox records mails; nil where none arrives. PublicURL is where users reach the platform, with no slash behind.
	Outbox    mail.Recorder
	PublicURL string
}

// Confirmation is what is typed before an account goes: the name of its user.
type Confirmation struct {
	Username string `json:"username"`
}

// Issues returns what is wrong with in.
func (in Confirmation) Issues() (is errs.Issues) {
	is.Require("username", in.Username)
	return is
}

// of returns an error unless in names a user.
func (in Confirmation) of(u account.User) error {
	var is errs.Issues
	if in.Username != u.Username {
		is.Add("username", errs.CodeInvalid, "This is not the username of the account.")
	}
	return is.Err()
}

// Plan plans the deletion of the account of a session, and returns when it is. Until then nobody signs in, all sessions
// and API keys have ended, and a mailed link calls it off. With no Wait the account is removed at once, without a mail.
// The error is VALIDATION_ERROR, also for a name that is not the user's, account.ErrToken for a session that has ended,
// or account.ErrLastAdministrator.
func (s *Service) Plan(ctx context.Context, userID, sessionID string, in Confirmation) (at time.Time, err error) {
	if err := in.Issues().Err(); err != nil {
		return at, err
	}
	at = s.Now().UTC().Add(s.Wait).Truncate(time.Millisecond)
	err = mail.InTx(ctx, s.Outbox, s.Store.InTx, func(tx Store, post func(mail.Message) error) error {
		c, err := s.leaver(ctx, tx, userID, in)
		if err != nil {
			return err
		}
		if _, err := tx.Session(ctx, sessionID); err != nil {
			return errs.Missing(err, account.ErrToken) // it ended meanwhile
		}
		if s.Wait <= 0 {
			return s.erase(ctx, tx, c)
		}
		if err := tx.PlanDeletion(ctx, c.ID, at); err != nil {
			return err
		}
		if err := s.mailPlan(ctx, tx, post, c, at); err != nil {
			return err
		}
		details := audit.Details{"email": c.Email, "at": at.Format(time.RFC3339)}
		return tx.Record(ctx, s.entry(ctx, audit.UserPlanDeletion, c.ID, details))
	})
	return at, errs.Missing(err, account.ErrNoUser)
}

// leaver returns the user with that id, locked, whom in names and without whom somebody else manages the platform.
func (s *Service) leaver(ctx context.Context, tx Store, id string, in Confirmation) (account.Credentials, error) {
	admins, err := tx.LockAdmins(ctx) // before the user: see Store
	if err != nil {
		return account.Credentials{}, err
	}
	c, err := tx.User(ctx, id)
	if err != nil {
		return c, err
	}
	if err := account.CheckAbove(ctx, tx, c.Role); err != nil {
		return c, err
	}
	if err := in.of(c.User); err != nil {
		return c, err
	}
	if slices.Contains(admins, c.ID) && len(admins) == 1 {
		return c, account.ErrLastAdministrator
	}
	return c, nil
}

// mailPlan mails the link that calls the deletion off to a user, and a notice to former addresses, which have a link of
// their own that gives them the account. No limit of mails holds for it.
func (s *Service) mailPlan(
	ctx context.Context, tx Store, post func(mail.Message) error, c account.Credentials, at time.Time,
) error {
	if err := tx.DeleteMailTokens(ctx, c.ID, account.LinkKeepAccount); err != nil { // of a plan that was called off
		return err
	}
	token := ids.NewLinkToken()
	err := tx.CreateMailToken(ctx, account.MailToken{
		Hash: ids.HashLinkToken(token), Kind: account.LinkKeepAccount, UserID: c.ID, Address: c.Email,
		Generation: c.Generation, CreatedAt: s.Now(), ExpiresAt: at,
	})
	if err != nil {
		return err
	}
	if err := post(s.letterPlanned(ctx, c.User, token, at)); err != nil {
		return err
	}
	back, err := tx.MailTokensOf(ctx, c.ID, account.LinkRevert)
	if err != nil {
		return err
	}
	for _, address := range account.FormerAddresses(back, s.Now()) {
		if err := post(letterFormer(ctx, c.User, address, at)); err != nil {
			return err
		}
	}
	return nil
}

// Cancel calls a planned deletion off with the token that was mailed. It needs nobody to be signed in, and signs nobody
// in: the ways in are back, sessions and API keys are not. The error is VALIDATION_ERROR or account.ErrLink.
func (s *Service) Cancel(ctx context.Context, token string) error {
	if err := (account.LinkToken{Token: token}).Issues().Err(); err != nil {
		return err
	}
	hash := ids.HashLinkToken(token)
	t, err := s.Store.MailToken(ctx, hash)
	if err == nil && t.Kind != account.LinkKeepAccount {
		return account.ErrLink
	} else if err != nil {
		return errs.Missing(err, account.ErrLink)
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		c, err := tx.User(ctx, t.UserID) // before its links: see Store
		if err != nil {
			return err
		}
		// Read again, now that the user is locked: one of several calls finds it.
		if _, err := tx.MailToken(ctx, hash); err != nil {
			return err
		}
		if !s.Now().Before(c.DeletionAt) { // or it was called off otherwise
			return account.ErrLink
		}
		if err := tx.CancelDeletion(ctx, c.ID); err != nil {
			return err
		}
		if err := tx.DeleteMailTokens(ctx, c.ID, account.LinkKeepAccount); err != nil {
			return err
		}
		return tx.Record(ctx, s.entry(ctx, audit.UserCancelDeletion, c.ID, audit.Details{"email": c.Email}))
	})
	return errs.Missing(err, account.ErrLink)
}

// Erase removes a user at once, for an administrator. The error is VALIDATION_ERROR, also for a name that is not the
// user's, account.ErrNoUser, or account.ErrLastAdministrator.
func (s *Service) Erase(ctx context.Context, userID string, in Confirmation) error {
	if err := in.Issues().Err(); err != nil {
		return err
	}
	err := s.Store.InTx(ctx, func(tx Store) error {
		tx.Settle(ctx) // also if the user is removed already
		c, err := s.leaver(ctx, tx, userID, in)
		if err != nil {
			return err
		}
		return s.erase(ctx, tx, c)
	})
	return errs.Missing(err, account.ErrNoUser)
}

// erase removes a user, who is locked.
func (s *Service) erase(ctx context.Context, tx Store, c account.Credentials) error {
	if err := tx.Erase(ctx, c, s.Now().Add(-s.KeepBills)); err != nil {
		return err
	}
	// After it: an entry about oneself has no name then.
	if err := tx.Record(ctx, s.entry(ctx, audit.UserErase, c.ID, nil)); err != nil {
		return err
	}
	return tx.Publish(ctx, event.New(s.Now(), event.UserDeleted, event.Names{UserID: c.ID}))
}

func (s *Service) entry(ctx context.Context, action audit.Action, userID string, details audit.Details) audit.Entry {
	return audit.New(ctx, s.Now(), action, audit.Target{Type: "user", ID: userID}, details)
}
