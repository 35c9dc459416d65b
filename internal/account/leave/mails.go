package leave

import (
	"time"

	"stoa/internal/account"
	"stoa/internal/message/mail"
)

// letterPlanned tells a user that the account will be removed, with the link that keeps it. The token is in the
// fragment, which browsers do not send to servers (contract 2.8).
func (s *Service) letterPlanned(u account.User, token string, at time.Time) mail.Letter {
	return func(site string) mail.Message {
		return mail.Message{
			To: u.Email, Subject: "Your account will be deleted",
			Text: "Somebody who is signed in to the account with the e-mail address\n" +
				u.Email + " at " + site + " asked for its deletion.\n\n" +
				"It is removed on " + at.Format(mail.Time) + ". Until then nobody signs in to\n" +
				"it: all sessions have ended, and links to choose a new password do not work.\n\n" +
				"If it was you, there is nothing to do.\n\n" +
				"If it was not you, or if you want to keep the account, open this link before. Then\n" +
				"you sign in as always:\n\n" +
				s.PublicURL + "/keep-account#" + token + "\n\n" +
				"If it was not you, somebody else had access to your account. Choose \"forgotten\n" +
				"password\" then to set a new password.\n",
		}
	}
}

// letterFormer tells whoever reads mail to a former address. The mail about the change of the address has a link that
// takes the account back, so this one has none.
func letterFormer(u account.User, to string, at time.Time) mail.Letter {
	return func(site string) mail.Message {
		return mail.Message{
			To: to, Subject: "Your account will be deleted",
			Text: "Somebody who is signed in to the account of " + u.Username + " at " + site + "\n" +
				"asked for its deletion. It is removed on " + at.Format(mail.Time) + ".\n\n" +
				"You get this mail because the account had your address until lately. If it was not\n" +
				"you, open the link in the mail that told of the new address: it gives you the account\n" +
				"back, and keeps it.\n",
		}
	}
}
