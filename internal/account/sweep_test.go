package account_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/account"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/logtest"
)

// rowsOf returns how many sessions the database holds for a user, ended or not.
func rowsOf(tb testing.TB, s *account.Service, userID string) int {
	tb.Helper()
	list, err := s.Store.ListSessions(tb.Context(), userID, time.Unix(0, 0), 1000)
	if err != nil {
		tb.Fatal(err)
	}
	return len(list)
}

// People who never return leave no sessions behind.
func TestExpiredSessionsAreSweptAnHourLater(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clocktest.Clock) {
		gone, stays := mustRegister(t, a, "bob"), mustRegister(t, a, "ada")
		mustLogin(t, a, "bob")
		c.Advance(time.Hour)
		stays, err := a.Refresh(t.Context(), stays.Refresh)
		if err != nil {
			t.Fatal(err)
		}
		c.Advance(account.RefreshLife - time.Second) // bob's ended an hour less a second ago
		if n, err := a.SweepSessions(t.Context()); n != 0 || err != nil || rowsOf(t, a, gone.User.ID) != 2 {
			t.Errorf("a second early: swept %d users, %v; want none", n, err)
		}
		c.Advance(time.Second)
		var (
			wg    sync.WaitGroup
			swept [4]int
		)
		for i := range swept { // replicas do not hurt one another
			wg.Go(func() {
				var err error
				if swept[i], err = []*account.Service{a, b}[i%2].SweepSessions(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if max(swept[0], swept[1], swept[2], swept[3]) != 1 {
			t.Errorf("swept %v users, want 1", swept)
		}
		if got := rowsOf(t, a, gone.User.ID); got != 0 {
			t.Errorf("%d expired sessions are left", got)
		}
		if got := rowsOf(t, a, stays.User.ID); got != 1 {
			t.Errorf("%d sessions of somebody else are left, want 1", got)
		}
		if n, err := a.SweepSessions(t.Context()); n != 0 || err != nil {
			t.Errorf("again: %d, %v; want nothing to do", n, err)
		}
	})
}

// More users than one look-up returns.
func TestSweepGoesOnUntilNothingIsLeft(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, _ *account.Service, c *clocktest.Clock) {
		const n = 205
		err := s.Store.InTx(t.Context(), func(tx account.Store) error {
			for i := range n {
				id := fmt.Sprintf("u%03d", i)
				u := account.User{ID: id, Email: id + "@example.com", Username: id, Active: true, CreatedAt: c.Now()}
				session := account.Session{
					ID:        "s" + id,
					UserID:    id,
					CreatedAt: c.Now(),
					Refresh:   account.Refresh{ID: "r", IssuedAt: c.Now()},
				}
				err := errors.Join(tx.CreateUser(t.Context(), account.Credentials{User: u}), tx.CreateSession(t.Context(), session))
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		c.Advance(account.RefreshLife + time.Hour)
		if got, err := s.SweepSessions(t.Context()); got != n || err != nil {
			t.Errorf("swept %d users, %v; want %d", got, err, n)
		}
		if ids, err := s.Store.UsersWithExpired(t.Context(), c.Now(), "", 1); len(ids) != 0 || err != nil {
			t.Errorf("left: %v, %v", ids, err)
		}
	})
}

// lookedAt counts sweeps, and fails or hangs if told to.
type lookedAt struct {
	account.Store

	times []time.Time
	err   error
	hang  bool
}

func (l *lookedAt) UsersWithExpired(ctx context.Context, _ time.Time, _ string, _ int) ([]string, error) {
	l.times = append(l.times, time.Now())
	if l.hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, l.err
}

func TestSweepingHappensAtStartAndHourlyUntilTheEnd(t *testing.T) {
	t.Parallel()

	for name, st := range map[string]*lookedAt{
		"": {}, "could not be swept": {err: errOutage},
		"the next sweep goes on": {hang: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log logtest.Buffer
			ctx, cancel := context.WithCancel(t.Context())
			s := &account.Service{Store: st, Now: time.Now}
			start, ended := time.Now(), make(chan struct{})
			go func() {
				s.KeepSwept(ctx, log.Logger())
				close(ended)
			}()
			time.Sleep(2*time.Hour + time.Minute) // of the bubble's clock
			cancel()
			<-ended
			if len(st.times) != 3 || st.times[0] != start || st.times[1].Sub(start) != account.SweepEvery ||
				st.times[2].Sub(start) != 2*account.SweepEvery {
				t.Errorf("%q: swept at %v, want at start and after one and two hours", name, st.times)
			}
			if !strings.Contains(log.String(), name) {
				t.Errorf("the log does not say %q:\n%s", name, log.String())
			}
		})
	}
}
