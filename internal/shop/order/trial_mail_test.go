package order_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
)

// tries begins one trial for each address, one after the other, and returns their orders.
func (s *shop) tries(t *testing.T, emails ...string) (list []order.Order) {
	t.Helper()
	first, _ := s.tryOut(t, emails[0])
	list = append(list, first)
	for _, email := range emails[1:] {
		s.clock.Advance(time.Millisecond)
		trial, err := s.StartTrial(t.Context(), "mail-pack", order.TrialRequest{TierID: "once", Email: email})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s.order(t, trial.OrderID))
	}
	return list
}

func (s *shop) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	if _, err := s.db.Conn().Write.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

// A trial that cannot be told of holds up no other, however many of them there are.
func TestATrialThatFailsHoldsUpNoOther(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.Outbox = outbox{s}
	emails := []string{"first@example.com"}
	for i := range 101 { // more than are read at a time
		emails = append(emails, fmt.Sprintf("bad-%d@example.com", i))
	}
	list := s.tries(t, append(emails, "last@example.com")...)
	s.exec(t, `UPDATE licenses SET key_sealed = 'x' WHERE id <> $1 AND id <> $2`, list[0].LicenseID, list[102].LicenseID)
	s.clock.Advance(12 * 24 * time.Hour)
	for range 2 {
		err := s.MailTrials(t.Context())
		if err == nil || !strings.Contains(err.Error(), list[1].ID) || !strings.Contains(err.Error(), list[101].ID) ||
			strings.Contains(err.Error(), list[0].ID) {
			t.Errorf("MailTrials = %v", err)
		}
		if got := s.mails(t); got != 2 {
			t.Errorf("%d mails, want those of the first and the last", got)
		}
	}
}

// Whoever writes the mailbox of somebody else in many ways does not fill it: what is beyond its budget is dropped.
func TestAMailboxHearsOfTenTrialsADay(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.Outbox = outbox{s}
	var emails []string
	for i := range 14 {
		emails = append(emails, fmt.Sprintf("Ada+%d@example.com", i))
	}
	s.tries(t, append(emails, "bob@example.com")...)
	for _, tt := range []struct {
		name string
		day  int
		want int
	}{{"before the end", 12, 11}, {"the day after", 13, 11}, {"at the end", 14, 22}, {"the day after that", 15, 22}} {
		s.clock.Advance(opened.AddDate(0, 0, tt.day).Add(time.Minute).Sub(s.clock.Now()))
		for range 2 {
			if err := s.MailTrials(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.mails(t); got != tt.want {
				t.Errorf("%s: %d mails, want %d", tt.name, got, tt.want)
			}
		}
	}
}

// Whoever deletes the account hears no more of the trial, although the bill keeps the address.
func TestWhoeverLeftHearsOfNoTrial(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.Outbox = outbox{s}
	left := s.tries(t, "ada@example.com", "bob@example.com")[0]
	leave := func() {
		s.exec(t, `UPDATE licenses SET user_id = 'deleted' WHERE id = $1`, left.LicenseID)
		s.exec(t, `UPDATE orders SET user_id = 'deleted' WHERE id = $1`, left.ID)
	}
	s.clock.Advance(12 * 24 * time.Hour)
	s.Store = &leaving{s.store, leave} // once the mails that are due were read
	for _, want := range []int{1, 1} {
		if err := s.MailTrials(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.mails(t); got != want {
			t.Errorf("before the end: %d mails, want %d", got, want)
		}
	}
	s.clock.Advance(3 * 24 * time.Hour)
	if err := s.MailTrials(t.Context()); err != nil || s.mails(t) != 2 {
		t.Errorf("at the end: %d mails, %v; want 2", s.mails(t), err)
	}
	list, err := s.store.DueTrials(t.Context(), s.clock.Now(), order.TrialMails, license.License{})
	if err != nil || len(list) != 0 {
		t.Errorf("mails are due of %v, %v", list, err)
	}
}

// leaving is a Store in which something happens once the trials were read of which a mail is due.
type leaving struct {
	order.Store

	then func()
}

// DueTrials implements order.Trials.
func (l *leaving) DueTrials(
	ctx context.Context, now time.Time, times order.TrialTimes, after license.License,
) ([]order.DueTrial, error) {
	list, err := l.Store.DueTrials(ctx, now, times, after)
	l.then()
	return list, err
}
