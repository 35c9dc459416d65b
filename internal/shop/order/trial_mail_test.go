package order_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/shop/order"
)

// tries begins one trial for each address, one after the other, and returns their orders.
func (s *shop) tries(t *testing.T, emails ...string) (list []order.Order) {
	t.Helper()
	first, _ := s.tryOut(t, emails[0])
	list = append(list, first)
	for _, email := range emails[1:] {
		s.clock.Advance(time.Millisecond)
		begun, err := s.StartTrial(t.Context(), "mail-pack", order.TrialRequest{TierID: "once", Email: email})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s.order(t, begun.OrderID))
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
