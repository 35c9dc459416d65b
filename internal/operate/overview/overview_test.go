package overview_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/operate/overview"
)

// now is the time of these tests: a Friday, shortly after noon.
var now = time.Date(2030, time.March, 1, 12, 34, 56, 0, time.UTC)

// shop is what an overview reads. Package store has the tests of the SQL.
type shop struct {
	sales, activations, registrations []overview.Counted

	dead, deadWebhooks, failing, untold []overview.Pile
	asking                              []overview.Asking
	troubled                            []overview.TroubledWebhook
	failures                            []overview.Failure
	receiptsFailed, receiptsDue         overview.Pile
	pending                             overview.Pile
	breached, resets                    overview.Pile
	apiKeys                             overview.KeyPiles
	noFactor, noPasskey                 overview.Pile
	taken, verified                     overview.BackupRuns

	asked map[string]time.Time // since when something was asked for
	err   error                // of the last question
}

func (s *shop) since(what string, t time.Time) {
	if s.asked == nil {
		s.asked = make(map[string]time.Time)
	}
	s.asked[what] = t
}

func (s *shop) Sales(_ context.Context, since time.Time) ([]overview.Counted, error) {
	s.since("sales", since)
	return s.sales, nil
}

func (s *shop) Activations(_ context.Context, since time.Time) ([]overview.Counted, error) {
	s.since("activations", since)
	return s.activations, nil
}

func (*shop) DemoSales(context.Context, time.Time) (bool, error) { return true, nil }

func (s *shop) Registrations(_ context.Context, since time.Time) ([]overview.Counted, error) {
	s.since("registrations", since)
	return s.registrations, nil
}

func (s *shop) DeadDeliveries(_ context.Context, webhooks bool, limit int) ([]overview.Pile, error) {
	if webhooks {
		return s.deadWebhooks[:min(limit, len(s.deadWebhooks))], nil
	}
	return s.dead, nil
}

func (s *shop) FailingDeliveries(context.Context, int) ([]overview.Pile, error) {
	return s.failing, nil
}

func (s *shop) Untold(context.Context, int) ([]overview.Pile, error) { return s.untold, nil }

func (s *shop) Undecided(context.Context, int) ([]overview.Asking, error) { return s.asking, nil }

func (s *shop) TroubledWebhooks(context.Context, int) ([]overview.TroubledWebhook, error) {
	return s.troubled, nil
}

func (s *shop) Failures(_ context.Context, since time.Time, _ int) ([]overview.Failure, error) {
	s.since("failures", since)
	return s.failures, nil
}

func (s *shop) FailedReceipts(_ context.Context, since time.Time) (overview.Pile, error) {
	s.since("receipts", since)
	return s.receiptsFailed, nil
}

func (s *shop) WaitingReceipts(context.Context) (overview.Pile, error) { return s.receiptsDue, nil }

func (s *shop) PendingOrders(_ context.Context, before time.Time) (overview.Pile, error) {
	s.since("orders", before)
	return s.pending, nil
}

func (s *shop) BreachedStaff(context.Context) (overview.Pile, error) { return s.breached, nil }

func (s *shop) KeysInNeed(_ context.Context, _, unused, ending time.Time) (overview.KeyPiles, error) {
	s.since("keys unused", unused)
	s.since("keys ending", ending)
	return s.apiKeys, nil
}

func (s *shop) FactorResets(_ context.Context, since time.Time) (overview.Pile, error) {
	s.since("resets", since)
	return s.resets, nil
}

func (s *shop) StaffWithoutFactor(_ context.Context, passkey bool) (overview.Pile, error) {
	if passkey {
		return s.noPasskey, nil
	}
	return s.noFactor, nil
}

func (s *shop) Backups(context.Context) (taken, verified overview.BackupRuns, err error) {
	return s.taken, s.verified, s.err
}

// look returns the overview of a shop that makes a backup each day, and in which the instance i1
// does not work.
func look(t *testing.T, s *shop) overview.Overview {
	t.Helper()
	service := &overview.Service{
		Store: s, Now: func() time.Time { return now }, BackupEvery: 24 * time.Hour,
		Broken: func(id string) bool { return id == "i1" },
	}
	o, err := service.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// series returns the buckets that are not empty, as "position orders sales activations registrations";
// the last bucket has the position -1.
func series(list []overview.Bucket) string {
	var out []string
	for i, b := range list {
		if b.Orders+b.Activations+b.Registrations == 0 {
			continue
		}
		text := fmt.Sprint(i-len(list), " ", b.Orders)
		for _, m := range b.Sales {
			text += fmt.Sprint(" ", m.Minor, " ", m.Currency)
		}
		out = append(out, fmt.Sprint(text, " ", b.Activations, " ", b.Registrations))
	}
	return strings.Join(out, "; ")
}

func TestBucketsOfHoursAndDays(t *testing.T) {
	t.Parallel()

	hour := func(ago int) time.Time { return now.Truncate(time.Hour).Add(-time.Duration(ago) * time.Hour) }
	midnight := now.Truncate(24 * time.Hour)
	for _, tt := range []struct {
		name        string
		shop        shop
		hours, days string
	}{
		{"nothing", shop{}, "", ""},
		{"in this hour", shop{registrations: []overview.Counted{{Hour: hour(0), Count: 2}}}, "-1 0 0 2", "-1 0 0 2"},
		{"23 hours ago", shop{activations: []overview.Counted{{Hour: hour(23), Count: 1}}}, "-24 0 1 0", "-2 0 1 0"},
		{"24 hours ago", shop{activations: []overview.Counted{{Hour: hour(24), Count: 1}}}, "", "-2 0 1 0"},
		{
			"at and before midnight",
			shop{registrations: []overview.Counted{{Hour: midnight, Count: 1}, {Hour: midnight.Add(-time.Hour), Count: 2}}},
			"-14 0 0 2; -13 0 0 1", "-2 0 0 2; -1 0 0 1",
		},
		{
			"29 and 30 days ago",
			shop{registrations: []overview.Counted{
				{Hour: midnight.AddDate(0, 0, -29), Count: 1}, {Hour: midnight.AddDate(0, 0, -29).Add(-time.Hour), Count: 2},
			}},
			"", "-30 0 0 1",
		},
		{"in an hour that has not begun here", shop{registrations: []overview.Counted{{Hour: hour(-1), Count: 1}}}, "", "-1 0 0 1"},
		{
			"sales of two currencies",
			shop{sales: []overview.Counted{
				{Hour: hour(1), Count: 1, Currency: "EUR", Minor: 4990},
				{Hour: hour(0), Count: 2, Currency: "USD", Minor: 100},
				{Hour: hour(0), Count: 3, Currency: "EUR", Minor: 10},
			}},
			"-2 1 4990 EUR 0 0; -1 5 100 USD 10 EUR 0 0", "-1 6 5000 EUR 100 USD 0 0",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			o := look(t, &tt.shop)
			if got := series(o.Hours); got != tt.hours {
				t.Errorf("hours: %s, want %s", got, tt.hours)
			}
			if got := series(o.Days); got != tt.days {
				t.Errorf("days: %s, want %s", got, tt.days)
			}
			if len(o.Hours) != 24 || len(o.Days) != 30 || !o.Days[29].From.Equal(midnight) || !o.Hours[23].From.Equal(hour(0)) {
				t.Errorf("%d hours to %s, %d days to %s", len(o.Hours), o.Hours[23].From, len(o.Days), o.Days[29].From)
			}
			for _, what := range []string{"sales", "activations", "registrations"} {
				if got := tt.shop.asked[what]; !got.Equal(o.Days[0].From) {
					t.Errorf("%s are read since %s, want since the first day", what, got)
				}
			}
		})
	}
}

func TestAnOverviewThatCannotBeRead(t *testing.T) {
	t.Parallel()

	failed := errors.New("the database is away")
	service := &overview.Service{Store: &shop{err: failed}, Now: func() time.Time { return now }}
	if _, err := service.Get(t.Context()); !errors.Is(err, failed) {
		t.Errorf("error = %v", err)
	}
}
