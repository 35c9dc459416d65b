package impersonate

import (
	"context"

	"stoa/internal/account"
	"stoa/internal/message/mail"
)

// tells reports whether users hear of impersonations by mail.
func tells(mode account.ImpersonationMode) bool {
	return mode == account.ImpersonationNotify || mode == ""
}

// tell mails the user that somebody of the staff sees the shop as they do. No limit of mails holds for it. The mail has
// no link, so that nobody learns to follow links in such mails, and not the reason, which may be about others.
func (s *Service) tell(ctx context.Context, tx Store, site string, u account.User, i Impersonation) error {
	what := "They could look at it and change nothing."
	if i.Writable {
		what = "They could also change something, but not buy, and not change how you sign in."
	}
	sealed, err := s.Outbox.Seal(mail.Message{
		To:      u.Email,
		Subject: "Our staff looked at your account",
		Text: "This is about the account with the e-mail address\n" + u.Email + " at " + site + ".\n\n" +
			"On " + i.CreatedAt.Format(mail.Time) + ", somebody of the staff began to see the site as you see it, until\n" +
			i.EndsAt.Format(mail.Time) + " at the latest. " + what + "\n\n" +
			"Your account lists it under devices and activity, where you can end it. If you do not\n" +
			"know what it was for, ask the people who run the site.\n",
	})
	if err != nil {
		return err
	}
	return tx.AddMail(ctx, sealed)
}
