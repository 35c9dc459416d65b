package account_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
)

// Two tabs, a lost answer, two replicas: one successor for all.
func TestConcurrentRefreshesOfOneTokenGiveOneSuccessor(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clocktest.Clock) {
		token := mustRegister(t, a, "ada").Refresh
		for range 3 { // each round goes on from the successor of the last
			var (
				wg  sync.WaitGroup
				got [12]string
			)
			for i := range got {
				wg.Go(func() {
					tokens, err := []*account.Service{a, b}[i%2].Refresh(t.Context(), token)
					if err != nil {
						t.Error(err)
					}
					got[i] = tokens.Refresh
				})
			}
			wg.Wait()
			for _, g := range got {
				if g != got[0] || g == token || g == "" {
					t.Fatalf("successors differ, or are the token itself: %d", len(got))
				}
			}
			token = got[0]
		}
	})
}

func TestSessionIsOneRowHoweverOftenRefreshed(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, _ *account.Service, c *clocktest.Clock) {
		tokens := mustRegister(t, a, "ada")
		for range 20 {
			c.Advance(time.Minute)
			var err error
			if tokens, err = a.Refresh(t.Context(), tokens.Refresh); err != nil {
				t.Fatal(err)
			}
		}
		list, err := a.Sessions(t.Context(), tokens.User.ID)
		if err != nil || len(list) != 1 {
			t.Fatalf("Sessions = %d, %v; want one", len(list), err)
		}
		if got := list[0].LastUsedAt(); !got.Equal(c.Now().Truncate(time.Second)) || !list[0].CreatedAt.Equal(t0) {
			t.Errorf("created %s, used %s", list[0].CreatedAt, got)
		}
		if n := len(list[0].Replaced); n != 1 {
			t.Errorf("%d replaced tokens are kept, want those in their grace only", n)
		}
	})
}

// A token that was replaced, and its successor too, within the grace of the
// first: its holder still gets the successor it would have got.
func TestGraceHoldsForEachReplacedToken(t *testing.T) {
	t.Parallel()

	c := clocktest.New(t0)
	s := service(t, dbtest.SQLite(t), c)
	chain := []string{mustRegister(t, s, "ada").Refresh}
	for range 3 {
		c.Advance(3 * time.Second)
		next, err := s.Refresh(t.Context(), chain[len(chain)-1])
		if err != nil {
			t.Fatal(err)
		}
		chain = append(chain, next.Refresh)
	}
	for i, token := range chain[:3] {
		if again, err := s.Refresh(t.Context(), token); err != nil || again.Refresh != chain[i+1] {
			t.Errorf("token %d gives another successor, or %v", i, err)
		}
	}
}

// 60 refreshes an hour are allowed (contract 1.7). More than that in ten seconds is refused
// without harm to the session.
func TestSoManyRefreshesAtOnceAreRefused(t *testing.T) {
	t.Parallel()

	c := clocktest.New(t0)
	s := service(t, dbtest.SQLite(t), c)
	tokens := mustRegister(t, s, "ada")
	first := tokens
	for range 60 {
		var err error
		if tokens, err = s.Refresh(t.Context(), tokens.Refresh); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Refresh(t.Context(), tokens.Refresh); !errors.Is(err, account.ErrManyRefreshes) {
		t.Errorf("refresh 61 = %v, want ErrManyRefreshes", err)
	}
	if _, err := s.Refresh(t.Context(), first.Refresh); err != nil {
		t.Errorf("the first token in its grace = %v", err)
	}
	c.Advance(account.RefreshGrace + time.Millisecond)
	if _, err := s.Refresh(t.Context(), tokens.Refresh); err != nil {
		t.Errorf("after the grace = %v", err)
	}
}
