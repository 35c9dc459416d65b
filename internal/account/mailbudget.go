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
	return s.allow(ctx, tx, "notice:"+mailbox.Counted(address), noticesADay, 24*time.Hour)
}

// allow counts a mail under a name, and reports whether there may be one more: at most most in a window. Each of as many
// names counts one.
func (s *Service) allow(ctx context.Context, tx Store, name string, most int, window time.Duration) (bool, error) {
	for i := range most {
		if ok, err := tx.AllowMail(ctx, name+":"+strconv.Itoa(i), window, s.Now()); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// mayMail counts a mail to an address that a stranger can cause, of whatever kind, and reports whether
// the mailbox may have it. A mail beyond that is not sent, and the answer of the request stays the same.
// No hour has more than mailsAtOnce.
func (s *Service) mayMail(ctx context.Context, tx Store, address string) (bool, error) {
	return s.withinBudget(ctx, tx, "account:", address)
}

// mayMailCode is mayMail for a code that the user asks for from a session. It has a budget of its own: strangers cannot
// use it up.
func (s *Service) mayMailCode(ctx context.Context, tx Store, address string) (bool, error) {
	return s.withinBudget(ctx, tx, "code:", address)
}

func (s *Service) withinBudget(ctx context.Context, tx Store, budget, address string) (bool, error) {
	if !s.sendsMail() {
		return false, nil
	}
	name := budget + mailbox.Counted(address)
	if ok, err := tx.AllowMail(ctx, name, mailPause, s.Now()); !ok || err != nil {
		return false, err
	}
	return s.allow(ctx, tx, name, mailsAtOnce, mailWindow)
}
