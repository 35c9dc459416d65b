package account

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/message/template"
)

// findBreached looks up the password of a user, who has just proven to know it, whether or not a second factor
// follows. What was known of it stands for each sign-in but the first that finds out otherwise: that one records it,
// and tells the user of a breached password. Else no statement is run. A password for one sign-in is gone after it.
func (s *Service) findBreached(ctx context.Context, c Credentials, secret string) error {
	if s.Breached == nil || c.PasswordOnce || s.Breached.Has(secret) == !c.BreachedAt.IsZero() {
		return nil
	}
	return s.inTxWithMail(ctx, func(tx Store, post poster) error {
		now, err := tx.User(ctx, c.ID)
		if err != nil || now.PasswordHash != c.PasswordHash || !now.BreachedAt.Equal(c.BreachedAt) {
			return ignore(err, errs.NotFound) // the sign-in notices what changed meanwhile
		}
		if !c.BreachedAt.IsZero() { // by another list, or of a password before this one
			return tx.SetBreached(ctx, c.ID, time.Time{})
		}
		return s.noteBreached(ctx, tx, post, now.User, secret)
	})
}

// noteBreached records that the new password of a user, who is locked, is a breached one, and tells the user, if it
// is.
func (s *Service) noteBreached(ctx context.Context, tx Store, post poster, u User, secret string) error {
	if !s.Breached.Has(secret) {
		return nil
	}
	if err := tx.SetBreached(ctx, u.ID, s.Now()); err != nil {
		return err
	}
	return s.mailBreached(ctx, tx, post, u)
}

// mailBreached mails a user that the password is a breached one, unless the mailbox had enough notices today.
func (s *Service) mailBreached(ctx context.Context, tx Store, post poster, u User) error {
	// Without a link, so that nobody learns to follow links in such mails.
	return s.notify(ctx, tx, post, letterTo(ctx, u, template.PasswordBreached, nil), u)
}
