package account_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa/internal/account"
	"stoa/internal/store"
)

// Two tabs, a lost answer, two replicas: one successor for all.
func TestConcurrentRefreshesOfOneTokenGiveOneSuccessor(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clock) {
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

	onBothEngines(t, func(t *testing.T, a, _ *account.Service, c *clock) {
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

	c := &clock{now: t0}
	s := service(t, sqliteURL(t), c)
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

// Spec A, Limits: 60 refreshes an hour. More than that in ten seconds is refused
// without harm to the session.
func TestSoManyRefreshesAtOnceAreRefused(t *testing.T) {
	t.Parallel()

	c := &clock{now: t0}
	s := service(t, sqliteURL(t), c)
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

// refreshModel is what the contract says about one session, without a database.
type refreshModel struct {
	tokens   []string    // all refresh tokens, in order; the last one is due
	issued   []time.Time // when, in whole seconds
	replaced []time.Time // when the token of the same index was replaced
	access   string      // the last access token
	accessAt time.Time
	ended    bool
}

const leeway = 30 * time.Second

// refresh returns the index of the token that must be answered, or -1.
func (m *refreshModel) refresh(i int, active bool, now time.Time) int {
	last := len(m.tokens) - 1
	switch {
	case m.ended, !active, !now.Before(m.issued[i].Add(account.RefreshLife + leeway)), !now.Before(m.issued[last].Add(account.RefreshLife)):
		return -1
	case i == last:
		return last + 1
	case now.Sub(m.replaced[i]) <= account.RefreshGrace:
		return i + 1
	}
	m.ended = true
	return -1
}

func (m *refreshModel) add(tokens account.Tokens, now time.Time) {
	m.tokens, m.issued = append(m.tokens, tokens.Refresh), append(m.issued, now.Truncate(time.Second))
	m.access, m.accessAt = tokens.Access, now.Truncate(time.Second)
}

func (m *refreshModel) alive(active bool, now time.Time) bool {
	return !m.ended && active && now.Before(m.accessAt.Add(account.AccessLife+leeway)) &&
		now.Before(m.issued[len(m.issued)-1].Add(account.RefreshLife))
}

func TestSessionsBehaveLikeTheModel(t *testing.T) {
	t.Parallel()

	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		c := &clock{now: t0}
		s, closeDB := serviceFor(t, filepath.Join(dir, fmt.Sprint(n)), c)
		defer closeDB()

		first, err := s.Register(t.Context(), account.Registration{Email: "ada@example.com", Username: "ada", Password: secret})
		if err != nil {
			rt.Fatal(err)
		}
		sessions := []*refreshModel{{}}
		sessions[0].add(first, c.Now())
		active, userID := true, first.User.ID
		any1 := func(rt *rapid.T) *refreshModel {
			return sessions[rapid.IntRange(0, len(sessions)-1).Draw(rt, "session")]
		}
		steps := rapid.SampledFrom([]time.Duration{
			time.Millisecond, 5 * time.Second, account.RefreshGrace, account.RefreshGrace + time.Millisecond, time.Hour,
			account.AccessLife, account.AccessLife + leeway, account.RefreshLife - time.Second, account.RefreshLife,
		})

		rt.Repeat(map[string]func(*rapid.T){
			"time passes": func(rt *rapid.T) { c.Advance(steps.Draw(rt, "step")) },
			"login": func(rt *rapid.T) {
				tokens, err := s.Login(t.Context(), "ada@example.com", secret)
				if (err == nil) != active || err != nil && !errors.Is(err, account.ErrLogin) {
					rt.Fatalf("Login = %v with active %v", err, active)
				}
				if err == nil {
					m := &refreshModel{}
					m.add(tokens, c.Now())
					sessions = append(sessions, m)
				}
			},
			"refresh": func(rt *rapid.T) {
				m := any1(rt)
				i := rapid.IntRange(max(0, len(m.tokens)-3), len(m.tokens)-1).Draw(rt, "token")
				now := c.Now()
				want := m.refresh(i, active, now)
				tokens, err := s.Refresh(t.Context(), m.tokens[i])
				switch {
				case want < 0:
					if !errors.Is(err, account.ErrRefresh) {
						rt.Fatalf("Refresh of token %d of %d = %v, want ErrRefresh", i, len(m.tokens), err)
					}
				case err != nil:
					rt.Fatalf("Refresh of token %d of %d = %v, want token %d", i, len(m.tokens), err, want)
				case want == len(m.tokens):
					m.replaced = append(m.replaced, now)
					m.add(tokens, now)
				case tokens.Refresh != m.tokens[want]:
					rt.Fatalf("Refresh of token %d of %d answers another successor", i, len(m.tokens))
				}
			},
			"logout": func(rt *rapid.T) {
				m := any1(rt)
				if err := s.Logout(t.Context(), m.access); err != nil {
					rt.Fatal(err)
				}
				if c.Now().Before(m.accessAt.Add(account.AccessLife + leeway)) {
					m.ended = true
				}
			},
			"password change": func(rt *rapid.T) {
				keep := any1(rt)
				if !keep.alive(active, c.Now()) {
					rt.Skip("needs a live session")
				}
				who, err := s.Authenticate(t.Context(), keep.access)
				if err == nil {
					err = s.ChangePassword(t.Context(), userID, who.SessionID, secret, secret)
				}
				if err != nil {
					rt.Fatal(err)
				}
				for _, m := range sessions {
					m.ended = m.ended || m != keep
				}
			},
			"shut out or let in": func(rt *rapid.T) {
				active = rapid.Bool().Draw(rt, "active")
				if err := s.SetActive(t.Context(), userID, active); err != nil {
					rt.Fatal(err)
				}
				for _, m := range sessions {
					m.ended = m.ended || !active
				}
			},
			"": func(rt *rapid.T) {
				for i, m := range sessions {
					who, err := s.Authenticate(t.Context(), m.access)
					if want := m.alive(active, c.Now()); (err == nil) != want || err != nil && !errors.Is(err, account.ErrToken) {
						rt.Fatalf("session %d: Authenticate = %+v, %v; want alive %v", i, who, err, want)
					}
				}
			},
		})
	})
}

// serviceFor is service without a test's clean-up, which rapid would run last.
func serviceFor(tb testing.TB, url string, c *clock) (*account.Service, func()) {
	tb.Helper()
	db, err := store.Open(url)
	if err == nil {
		_, err = db.Migrate(tb.Context())
	}
	if err != nil {
		tb.Fatal(err)
	}
	s := newService(tb, store.NewAccount(db), c)
	return s, func() { _ = db.Close() }
}
