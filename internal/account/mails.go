package account

import (
	"context"

	"stoa/internal/message/mail"
)

// Mailer sends mail in the background; *mail.Queue is one.
type Mailer interface {
	// Post returns at once. Later it calls compose and sends the message; neither
	// ends with ctx, which is the request's. A message may be lost.
	Post(ctx context.Context, compose mail.Compose)
}

// resetMail is the mail with a link. The token is in the fragment, which browsers do
// not send to servers; so it is in no log and no Referer header
// (contract 2.8).
func (s *Service) resetMail(ctx context.Context, to, token string) mail.Message {
	return mail.Message{
		To:      to,
		Subject: "Choose a new password",
		Text: "Somebody asked for a new password for the account with the e-mail address\n" +
			to + " at " + s.SiteName(ctx) + ".\n\n" +
			"Open this link within 30 minutes to choose one. It works once:\n\n" +
			s.PublicURL + "/reset-password#" + token + "\n\n" +
			"If it was not you, ignore this mail: the password stays as it is, and nobody\n" +
			"but you has this link. Do not pass it on.\n",
	}
}

// mailTime is how mails write times.
const mailTime = "2 January 2006, 15:04 UTC"

// postChanged tells a user that the password was changed. The mail has no link, so
// that nobody learns to follow links in such mails. reclaimed says that whoever had
// the account before lost everything.
func (s *Service) postChanged(ctx context.Context, u User, reclaimed bool) {
	if s.Mailer == nil {
		return
	}
	at, lost := s.Now().UTC().Format(mailTime), ""
	if reclaimed {
		lost = "Nobody had confirmed this address before. What was set up to sign in to the account\n" +
			"is removed, in case somebody else did it. Orders and licenses are still there.\n\n"
	}
	s.Mailer.Post(ctx, func(ctx context.Context) (mail.Message, bool, error) {
		return mail.Message{
			To:      u.Email,
			Subject: "Your password was changed",
			Text: "The password of the account with the e-mail address\n" +
				u.Email + " at " + s.SiteName(ctx) + " was changed on " + at + ".\n\n" + lost +
				"If it was you, there is nothing to do.\n\n" +
				"If it was not you, somebody else may have access to your account. Open the\n" +
				"site as you always do, not from a mail, choose \"forgotten password\" to set a\n" +
				"new password, and tell the people who run the site.\n",
		}, true, nil
	})
}
