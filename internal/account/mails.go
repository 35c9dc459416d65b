package account

import (
	"context"
	"maps"

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

// letter is a mail about an account.
type letter = mail.Message

// values are what the words of a letter leave open.
type values = map[string]string

// letterTo returns a mail to a user about their account, in their language (reqctx.LanguageFor).
func letterTo(ctx context.Context, u User, kind template.Kind, more values) letter {
	return letterAt(ctx, u.Email, u, kind, more)
}

// letterAt is letterTo to another address that has to do with the account.
func letterAt(ctx context.Context, to string, u User, kind template.Kind, more values) letter {
	all := values{template.Email: u.Email}
	maps.Copy(all, more)
	return kind.Message(to, languageOf(ctx, u), all)
}

func languageOf(ctx context.Context, u User) string { return reqctx.LanguageFor(ctx, u.ID, u.Language) }

// now are the values of a letter about what has just happened.
func (s *Service) now() values { return values{template.At: template.Moment(s.Now())} }

// poster records a letter in the transaction that it tells about.
type poster = func(letter) error

// inTxWithMail is Store.InTx for a change that people hear of by mail: what fn posts is recorded in the
// transaction, and sent once it is committed. Where no mail arrives, nothing is recorded.
func (s *Service) inTxWithMail(ctx context.Context, fn func(tx Store, post poster) error) error {
	return s.withMail(ctx, s.Store.InTx, fn)
}

// withMail is inTxWithMail for a transaction that inTx begins.
func (s *Service) withMail(
	ctx context.Context, inTx func(context.Context, func(Store) error) error, fn func(tx Store, post poster) error,
) error {
	outbox := s.Outbox
	if !s.sendsMail() {
		outbox = nil
	}
	return mail.InTx(ctx, outbox, inTx, fn)
}

// resetMail is the mail with a link. The token is in the fragment, which browsers do
// not send to servers; so it is in no log and no Referer header
// (contract 2.8).
func (s *Service) resetMail(to, language, token string) letter {
	return template.PasswordReset.Message(to, language, values{template.Link: s.PublicURL + "/reset-password#" + token})
}

// letterChanged tells a user that the password was changed. The mail has no link, so
// that nobody learns to follow links in such mails. reclaimed says that whoever had the
// account before lost everything.
func (s *Service) letterChanged(ctx context.Context, u User, reclaimed bool) letter {
	if !reclaimed {
		return template.PasswordChanged.Message(u.Email, languageOf(ctx, u), nil)
	}
	return letterTo(ctx, u, template.AccountReclaimed, s.now())
}
