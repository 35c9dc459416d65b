package account

import (
	"context"
	"strconv"
	"time"

	"stoa/internal/account/device"
	"stoa/internal/message/mail"
)

// news is what a mail tells of a change of the ways into an account: a subject, a sentence, and more for the user.
type news struct{ subject, text, more string }

// tell mails news to a user who is locked, and without the part that is for the user to whoever proved to read mail to
// the former address, as long as a change of the address can be taken back. No limit of mails holds for it: whoever
// changes something must not be able to keep it quiet.
func (s *Service) tell(ctx context.Context, tx Store, post func(letter) error, u User, n news) error {
	at := s.Now().UTC().Format(mail.Time)
	about := func(site string) string {
		return "This is about the account with the e-mail address\n" + u.Email + " at " + site + ".\n\n" +
			"On " + at + ", " + n.text + "\n\n"
	}
	err := post(mailTo(u.Email, n.subject, func(site string) string { return about(site) + n.more }))
	if err != nil {
		return err
	}
	former, err := s.formerAddresses(ctx, tx, u.ID)
	if err != nil {
		return err
	}
	for _, address := range former {
		err := post(mailTo(address, n.subject, func(site string) string {
			return about(site) + "You get this mail because the account had your address until lately.\n"
		}))
		if err != nil {
			return err
		}
	}
	return nil
}

// formerAddresses returns the addresses that a user had proven, and could still take back.
func (s *Service) formerAddresses(ctx context.Context, tx Store, userID string) (all []string, err error) {
	back, err := tx.MailTokensOf(ctx, userID, LinkRevert)
	return FormerAddresses(back, s.Now()), err
}

// FormerAddresses returns the proven addresses to which a user's links of LinkRevert give the account back.
func FormerAddresses(back []MailToken, now time.Time) (all []string) {
	for _, t := range back {
		if t.live(now) && !t.Proven.IsZero() {
			all = append(all, t.Address)
		}
	}
	return all
}

const (
	ifYou = "If it was you, there is nothing to do.\n\n"
	// ifNotYou has no link, so that nobody learns to follow links in such mails.
	ifNotYou = "If it was not you, somebody else has access to your account. Open the site as you\n" +
		"always do, not from a mail, choose \"forgotten password\" to set a new password, and tell\n" +
		"the people who run the site.\n"
)

// factorAdded tells that an app was switched on, with the link that undoes it, and whether there are other recovery
// codes. The token is in the fragment, as in resetMail.
func (s *Service) factorAdded(token string, replaced bool) news {
	text := "codes of an app were switched on as a second step at sign-in."
	if replaced {
		text += "\nNew recovery codes came with them. The former ones no longer work."
	}
	return news{
		"Codes of an app are on", text,
		ifYou + "If it was not you, open this link within 72 hours. It switches the codes off and ends all\n" +
			"sessions. Then choose \"forgotten password\" at the site to set a new password:\n\n" +
			s.PublicURL + "/not-me#" + token + "\n",
	}
}

// factorRemoved tells that codes of an app are not asked for anymore, and what is.
func factorRemoved(left SecondFactors) news {
	now := "The password alone signs in."
	if left.Any() {
		now = "The password with a passkey, or\na passkey alone, signs in."
	}
	return news{"Codes of an app are off", "codes of an app were switched off. " + now, ifYou + ifNotYou}
}

// passkeyAdded tells that a passkey was added, with the link that undoes it. The name that its user gave it is not
// told: whoever added it chose the words.
func (s *Service) passkeyAdded(p Passkey, token string) news {
	kept := ""
	if provider := p.Credential.Provider(); provider != "" {
		kept = " (" + provider + ")"
	}
	return news{
		"A passkey was added", "a passkey" + kept + " was added. It signs in without the password, and is\nasked for after it.",
		ifYou + "If it was not you, open this link within 72 hours. It removes the passkey and ends all\n" +
			"sessions. Then choose \"forgotten password\" at the site to set a new password:\n\n" +
			s.PublicURL + "/not-me#" + token + "\n",
	}
}

// passkeyRemoved tells that passkeys were removed, and whether a second step is still asked for.
func passkeyRemoved(n int, left SecondFactors) news {
	subject, what := "A passkey was removed", "a passkey was removed."
	if n > 1 {
		subject, what = "Your passkeys were removed", strconv.Itoa(n)+" passkeys were removed."
	}
	if !left.Any() {
		what += " The password alone signs in."
	}
	return news{subject, what, ifYou + ifNotYou}
}

// letterCounter tells a user that a passkey may have been copied.
func (s *Service) letterCounter(u User) letter {
	at := s.Now().UTC().Format(mail.Time)
	return mailTo(u.Email, "A passkey may have been copied", func(site string) string {
		return "This is about the account with the e-mail address\n" + u.Email + " at " + site + ".\n\n" +
			"On " + at + ", a passkey was used whose count of uses did not rise. Devices that\n" +
			"are set back do that, and so does a copy of the passkey.\n\n" +
			"If you did not set a device back, sign in as you always do, remove that passkey from your\n" +
			"account, and add a new one.\n"
	})
}

// codesReplaced tells that there are other recovery codes.
func codesReplaced() news {
	return news{
		"You have new recovery codes", "recovery codes were made anew. The former ones no longer work.", ifYou + ifNotYou,
	}
}

// letterReset tells that the people who run the site plan to remove the second factors of a user, with the link that
// stops it.
func (s *Service) letterReset(u User, f SecondFactors, to, token string, at time.Time) letter {
	lost, found := "the app and the recovery codes", "the app or a code"
	switch {
	case f.TOTP && f.Passkeys+f.Foreign > 0:
		lost, found = "the app, all passkeys and the recovery codes", "the app, a passkey or a code"
	case !f.TOTP:
		lost, found = "all passkeys and recovery codes", "a passkey or a code"
	}
	return mailTo(to, "Your second step at sign-in will be removed", func(site string) string {
		return "This is about the account with the e-mail address\n" + u.Email + " at " + site + ".\n\n" +
			"Somebody told the people who run the site that this account's second step at sign-in is\n" +
			"lost: " + lost + ". They will be removed. From\n" +
			at.UTC().Format(mail.Time) + " on, the password alone signs in.\n\n" +
			"If it was you, there is nothing to do but wait. If you find " + found + "\n" +
			"before, sign in with it: then everything stays as it is.\n\n" +
			"If it was not you, open this link. It stops the removal. Then choose \"forgotten password\"\n" +
			"at the site to set a new password, because whoever asked for this may know the present one:\n\n" +
			s.PublicURL + "/keep-second-factor#" + token + "\n"
	})
}

// letterCodeUsed tells a user that a recovery code was used, and how many remain.
func (s *Service) letterCodeUsed(u User, left int) letter {
	at := s.Now().UTC().Format(mail.Time)
	return mailTo(u.Email, "A recovery code was used", func(site string) string {
		return "This is about the account with the e-mail address\n" + u.Email + " at " + site + ".\n\n" +
			"On " + at + ", a recovery code was used. " + strconv.Itoa(left) + " of them are left.\n\n" + ifYou + ifNotYou
	})
}

// notify mails a user what happened while somebody signed in, unless the mailbox had enough of the like today.
func (s *Service) notify(ctx context.Context, tx Store, post func(letter) error, l letter, u User) error {
	ok, err := s.mayNotify(ctx, tx, u.Email)
	if !ok || err != nil {
		return err
	}
	return post(l)
}

// letterSignIn tells a user of a sign-in from where nobody signed in before. Of what the program says of itself the
// mail has names of a fixed list: whoever signs in chooses none of its words.
func (s *Service) letterSignIn(u User, session Session) letter {
	at := session.CreatedAt.UTC().Format(mail.Time)
	where := device.Read(session.UserAgent).String()
	if session.Address != "" {
		where += ", from the address " + session.Address
	}
	return mailTo(u.Email, "A new sign-in to your account", func(site string) string {
		return "This is about the account with the e-mail address\n" + u.Email + " at " + site + ".\n\n" +
			"On " + at + ", somebody signed in with\n" + where + ".\n" +
			"Nobody signed in from there in the last 90 days.\n\n" + ifYou + ifNotYou
	})
}
