package account

import "stoa/internal/message/mail"

// mailTo returns a letter to an address.
func mailTo(to, subject string, text func(site string) string) letter {
	return func(site string) mail.Message { return mail.Message{To: to, Subject: subject, Text: text(site)} }
}

// letterProof asks whoever reads mail to u's address to prove it. Its tokens are in the fragment, as in
// resetMail. The first link has both, so that its page can offer the second.
func (s *Service) letterProof(u User, links proofLinks) letter {
	return mailTo(u.Email, "Confirm your e-mail address", func(site string) string {
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

// letterChange sends a new address the link that confirms it.
func (s *Service) letterChange(u User, to, token string) letter {
	return mailTo(to, "Confirm your new e-mail address", func(site string) string {
		return "The user " + u.Username + " at " + site + " wants to use the e-mail address\n" + to + ".\n\n" +
			"If it is you, open this link within 24 hours, where you are signed in. It works once:\n\n" +
			s.PublicURL + "/change-email#" + token + "\n\n" +
			"If it is not you, ignore this mail: the link does nothing for anybody else.\n"
	})
}

// letterChangeAsked tells the present address that another one is wanted. The mail has no link, so that nobody
// learns to follow links in such mails.
func (s *Service) letterChangeAsked(u User) letter {
	at := s.Now().UTC().Format(mail.Time)
	return mailTo(u.Email, "Another e-mail address is wanted for your account", func(site string) string {
		return "On " + at + ", somebody who is signed in to the account with the e-mail address\n" +
			u.Email + " at " + site + " asked to use another address.\n\n" +
			"Nothing has changed yet. If it was you, there is nothing to do.\n\n" +
			"If it was not you, somebody else may have access to your account. Open the site as\n" +
			"you always do, not from a mail, and change your password.\n"
	})
}

// letterEmailChanged tells the former address that it was replaced, with the link that takes it back.
func (s *Service) letterEmailChanged(before User, token string) letter {
	at := s.Now().UTC().Format(mail.Time)
	return mailTo(before.Email, "Your e-mail address was changed", func(site string) string {
		return "The account with the e-mail address\n" + before.Email + " at " + site +
			" has another address since " + at + ".\n\n" +
			"If it was you, there is nothing to do.\n\n" +
			"If it was not you, open this link within 7 days. It takes the change back, ends all\n" +
			"sessions, removes the password, and mails you a link to choose a new one:\n\n" +
			s.PublicURL + "/revert-email#" + token + "\n"
	})
}

// letterReverted tells the address that an account no longer has that it was changed back.
func (s *Service) letterReverted(lost User) letter {
	at := s.Now().UTC().Format(mail.Time)
	return mailTo(lost.Email, "Your e-mail address was changed back", func(site string) string {
		return "The account of " + lost.Username + " at " + site + " no longer has the e-mail address\n" +
			lost.Email + ". Whoever reads mail to its former address took the change back on\n" + at + ".\n"
	})
}

// letterSignUp sends whoever wants an account the link that makes it.
func (s *Service) letterSignUp(to, token string) letter {
	return mailTo(to, "Finish your account", func(site string) string {
		return "Somebody wants an account with the e-mail address\n" + to + " at " + site + ".\n\n" +
			"If it is you, open this link within 24 hours to choose a name and a password. It\n" +
			"works once:\n\n" +
			s.PublicURL + "/sign-up#" + token + "\n\n" +
			"If it is not you, ignore this mail: without the link there is no account.\n"
	})
}

// letterHasAccount tells whoever wants an account that the address has one.
func (s *Service) letterHasAccount(to string) letter {
	return mailTo(to, "You have an account already", func(site string) string {
		return "Somebody wants an account with the e-mail address\n" + to + " at " + site + ".\n\n" +
			"There is an account with this address, or with one that counts as the same. If it\n" +
			"was you, open the site as you always do and sign in. \"Forgotten password\" there\n" +
			"mails a link to choose a new one.\n\n" +
			"If it was not you, ignore this mail: nothing has changed.\n"
	})
}
