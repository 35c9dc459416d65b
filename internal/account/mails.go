package account

import (
	"context"

	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
)

// Mailer sends mail in the background; *mail.Queue is one.
type Mailer interface {
	// Post returns at once. Later it calls compose and sends the message; neither
	// ends with ctx, which is the request's. A message may be lost.
	Post(ctx context.Context, compose mail.Compose)
}

// Outbox sends mail that is recorded, sealed, in the transaction of what it is about.
type Outbox = mail.Recorder

// letter is a mail about an account, as a site with that name sends it.
type letter = mail.Letter

// inTxWithMail is Store.InTx for a change that people hear of by mail: what fn posts is recorded in the
// transaction, and sent once it is committed. Where no mail arrives, nothing is recorded.
func (s *Service) inTxWithMail(ctx context.Context, fn func(tx Store, post func(letter) error) error) error {
	box := mail.Box{Outbox: s.Outbox, SiteName: s.SiteName}
	if !s.sendsMail() {
		box.Outbox = nil
	}
	return mail.InTx(ctx, box, s.Store.InTx, fn)
}

// resetMail is the mail with a link. The token is in the fragment, which browsers do
// not send to servers; so it is in no log and no Referer header
// (contract 2.8).
func (s *Service) resetMail(to, language, token string) mail.Message {
	return template.PasswordReset.Message(to, language, map[string]string{template.Link: s.PublicURL + "/reset-password#" + token})
}

// letterChanged tells a user that the password was changed. The mail has no link, so
// that nobody learns to follow links in such mails. reclaimed says that whoever had the
// account before lost everything.
func (s *Service) letterChanged(ctx context.Context, u User, reclaimed bool) letter {
	if !reclaimed {
		language := reqctx.LanguageFrom(ctx)
		return func(string) mail.Message { return template.PasswordChanged.Message(u.Email, language, nil) }
	}
	at := s.Now().UTC().Format(mail.Time)
	return func(site string) mail.Message {
		return mail.Message{
			To:      u.Email,
			Subject: "Your password was changed",
			Text: "The password of the account with the e-mail address\n" +
				u.Email + " at " + site + " was changed on " + at + ".\n\n" +
				"Nobody had confirmed this address before. What was set up to sign in to the account\n" +
				"is removed, in case somebody else did it. Orders and licenses are still there.\n\n" +
				"If it was you, there is nothing to do.\n\n" +
				"If it was not you, somebody else may have access to your account. Open the\n" +
				"site as you always do, not from a mail, choose \"forgotten password\" to set a\n" +
				"new password, and tell the people who run the site.\n",
		}
	}
}
