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

// allow counts a mail under a name, and reports whether there may be one more.
func (s *Service) allow(
	ctx context.Context, tx MailCounter, name string, most int, window time.Duration,
) (bool, error) {
	later, err := s.allowed(ctx, tx, name, most, window)
	return err == nil && later.IsZero(), err
}

// allowed counts a mail under a name, if there may be one more: at most most in a window. Each of as many names counts
// one. It returns the zero time, or else when there may be one.
func (s *Service) allowed(
	ctx context.Context, tx MailCounter, name string, most int, window time.Duration,
) (first time.Time, err error) {
	for i := range most {
		later, err := tx.AllowMail(ctx, name+":"+strconv.Itoa(i), window, s.Now())
		if err != nil || later.IsZero() {
			return time.Time{}, err
		}
		if first.IsZero() || later.Before(first) {
			first = later
		}
	}
	return first, nil
}

// mayMail counts a mail to an address that a stranger can cause, of whatever kind, and reports whether
// the mailbox may have it. A mail beyond that is not sent, and the answer of the request stays the same.
// No hour has more than mailsAtOnce.
func (s *Service) mayMail(ctx context.Context, tx Store, address string) (bool, error) {
	return s.withinBudget(ctx, tx, strangers, address)
}

// strangers is the budget of a mailbox for mails that a stranger can cause.
const strangers = "account:"

// mayMailCode is mayMail for a code that the user asks for from a session. It has a budget of its own: strangers cannot
// use it up.
func (s *Service) mayMailCode(ctx context.Context, tx Store, address string) (bool, error) {
	return s.withinBudget(ctx, tx, "code:", address)
}

func (s *Service) withinBudget(ctx context.Context, tx Store, budget, address string) (bool, error) {
	if !s.sendsMail() {
		return false, nil
	}
	later, err := s.countMail(ctx, tx, budget, address)
	return err == nil && later.IsZero(), err
}

// countMail counts a mail to an address in a budget. It returns the zero time, or else when there may be one.
func (s *Service) countMail(ctx context.Context, tx MailCounter, budget, address string) (time.Time, error) {
	name := budget + mailbox.Counted(address)
	if later, err := tx.AllowMail(ctx, name, mailPause, s.Now()); err != nil || !later.IsZero() {
		return later, err
	}
	return s.allowed(ctx, tx, name, mailsAtOnce, mailWindow)
}

// MailCounter counts mails; every Store does.
type MailCounter interface {
	AllowMail(ctx context.Context, name string, every time.Duration, now time.Time) (time.Time, error)
}

// MailWait counts a mail to an address in the budget that it shares with what strangers can cause, for package invite.
// It returns how long to wait before there may be one; 0: it was counted.
func (s *Service) MailWait(ctx context.Context, tx MailCounter, address string) (time.Duration, error) {
	later, err := s.countMail(ctx, tx, strangers, address)
	if err != nil || later.IsZero() {
		return 0, err
	}
	return later.Sub(s.Now()), nil
}
