package account

import (
	"context"
	"strconv"
	"time"

	"stoa/internal/account/mailbox"
)

// sendsMail reports whether mails arrive. Where they do not, nobody can prove a mailbox.
func (s *Service) sendsMail() bool { return s.Mailer != nil && !s.NoMail }

// noticesADay is how many notices a mailbox gets in a day of what happens while somebody signs in: the like cannot
// keep a change quiet, and a stranger who knows the password cannot flood the mailbox.
const noticesADay = 20

// mayNotify counts such a notice to an address, and reports whether the mailbox may have it.
func (s *Service) mayNotify(ctx context.Context, tx Store, address string) (bool, error) {
	if !s.sendsMail() {
		return false, nil
	}
	name := "notice:" + mailbox.Counted(address) + ":"
	for i := range noticesADay {
		if ok, err := tx.AllowMail(ctx, name+strconv.Itoa(i), 24*time.Hour, s.Now()); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// mayMail counts a mail to an address that a stranger can cause, of whatever kind, and reports whether
// the mailbox may have it. A mail beyond that is not sent, and the answer of the request stays the same.
// No hour has more than mailsAtOnce: each of as many names counts one mail in mailWindow.
func (s *Service) mayMail(ctx context.Context, tx Store, address string) (bool, error) {
	if !s.sendsMail() {
		return false, nil
	}
	name := "account:" + mailbox.Counted(address)
	if ok, err := tx.AllowMail(ctx, name, mailPause, s.Now()); !ok || err != nil {
		return false, err
	}
	for i := range mailsAtOnce {
		if ok, err := tx.AllowMail(ctx, name+":"+strconv.Itoa(i), mailWindow, s.Now()); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}
