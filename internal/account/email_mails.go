package account

import (
	"context"

	"stoa/internal/message/mail"
)

// post sends a message about an account in the background.
func (s *Service) post(ctx context.Context, to, subject string, text func(site string) string) {
	if !s.sendsMail() {
		return
	}
	s.Mailer.Post(ctx, func(ctx context.Context) (mail.Message, bool, error) {
		return mail.Message{To: to, Subject: subject, Text: text(s.SiteName(ctx))}, true, nil
	})
}

// postProof asks whoever reads mail to u's address to prove it. Its tokens are in the fragment, as in
// resetMail. The first link has both, so that its page can offer the second.
func (s *Service) postProof(ctx context.Context, u User, links proofLinks) {
	s.post(ctx, u.Email, "Confirm your e-mail address", func(site string) string {
		fragment, not := links.Verify, "If it was not you, ignore this mail.\n"
		if links.Disown != "" {
			fragment += "." + links.Disown
			not = "If it was not you, somebody else typed your address. This link shuts their account\n" +
				"and frees your address. It works for 7 days, and opens nothing else:\n\n" +
				s.PublicURL + "/disown#" + links.Disown + "\n"
		}
		return "Somebody made an account with the e-mail address\n" + u.Email + " at " + site + ".\n\n" +
			"If it was you, open this link within 24 hours to confirm the address. It works once:\n\n" +
			s.PublicURL + "/verify-email#" + fragment + "\n\n" + not
	})
}

// postChange sends a new address the link that confirms it.
func (s *Service) postChange(ctx context.Context, u User, to, token string) {
	s.post(ctx, to, "Confirm your new e-mail address", func(site string) string {
		return "The user " + u.Username + " at " + site + " wants to use the e-mail address\n" + to + ".\n\n" +
			"If it is you, open this link within 24 hours, where you are signed in. It works once:\n\n" +
			s.PublicURL + "/change-email#" + token + "\n\n" +
			"If it is not you, ignore this mail: the link does nothing for anybody else.\n"
	})
}

// postChangeAsked tells the present address that another one is wanted. The mail has no link, so that nobody
// learns to follow links in such mails.
func (s *Service) postChangeAsked(ctx context.Context, u User) {
	at := s.Now().UTC().Format(mailTime)
	s.post(ctx, u.Email, "Another e-mail address is wanted for your account", func(site string) string {
		return "On " + at + ", somebody who is signed in to the account with the e-mail address\n" +
			u.Email + " at " + site + " asked to use another address.\n\n" +
			"Nothing has changed yet. If it was you, there is nothing to do.\n\n" +
			"If it was not you, somebody else may have access to your account. Open the site as\n" +
			"you always do, not from a mail, and change your password.\n"
	})
}

// postEmailChanged tells the former address that it was replaced, with the link that takes it back.
func (s *Service) postEmailChanged(ctx context.Context, before User, token string) {
	at := s.Now().UTC().Format(mailTime)
	s.post(ctx, before.Email, "Your e-mail address was changed", func(site string) string {
		return "The account with the e-mail address\n" + before.Email + " at " + site +
			" has another address since " + at + ".\n\n" +
			"If it was you, there is nothing to do.\n\n" +
			"If it was not you, open this link within 7 days. It takes the change back, ends all\n" +
			"sessions, removes the password, and mails you a link to choose a new one:\n\n" +
			s.PublicURL + "/revert-email#" + token + "\n"
	})
}

// postReverted sends the address that an account has again a link to choose a password, beyond all limits of
// mails, and tells the address that it no longer has.
func (s *Service) postReverted(ctx context.Context, lost User, to, reset string) {
	if !s.sendsMail() {
		return
	}
	s.Mailer.Post(ctx, func(ctx context.Context) (mail.Message, bool, error) {
		return s.resetMail(ctx, to, reset), true, nil
	})
	at := s.Now().UTC().Format(mailTime)
	s.post(ctx, lost.Email, "Your e-mail address was changed back", func(site string) string {
		return "The account of " + lost.Username + " at " + site + " no longer has the e-mail address\n" +
			lost.Email + ". Whoever reads mail to its former address took the change back on\n" + at + ".\n"
	})
}
