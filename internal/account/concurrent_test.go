package account_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/testkit/clocktest"
)

// chain is what concurrent clients of one session got, all of them together.
type chain struct {
	mu        sync.Mutex
	newest    string
	successor map[string]string // of each token that was exchanged
	access    []string
	refreshes int
	enough    chan struct{} // closed after some refreshes
}

func newChain(first account.Tokens) *chain {
	return &chain{
		newest:    first.Refresh,
		successor: make(map[string]string),
		access:    []string{first.Access},
		enough:    make(chan struct{}),
	}
}

// pick returns the newest token, or one at random that was exchanged before.
func (c *chain) pick() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if rand.IntN(3) > 0 || len(c.successor) == 0 {
		return c.newest
	}
	n := rand.IntN(len(c.successor))
	for token := range c.successor {
		if n--; n < 0 {
			return token
		}
	}
	return c.newest
}

// got records the answer to a token. It reports false if the token had another
// successor before.
func (c *chain) got(token string, answer account.Tokens) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.access = append(c.access, answer.Access)
	if c.refreshes++; c.refreshes == 20 {
		close(c.enough)
	}
	if before, known := c.successor[token]; known {
		return before == answer.Refresh
	}
	c.successor[token] = answer.Refresh
	if _, exchanged := c.successor[answer.Refresh]; !exchanged {
		c.newest = answer.Refresh
	}
	return true
}

// isPath reports whether the tokens follow one another in a line from first:
// none has two predecessors, and none is left out.
func (c *chain) isPath(first string) bool {
	seen := 0
	for at := first; ; seen++ {
		next, exchanged := c.successor[at]
		if !exchanged {
			return seen == len(c.successor)
		}
		if seen > len(c.successor) {
			return false // a circle
		}
		at = next
	}
}

// hammer has eight clients on two replicas refresh one session at the same time,
// while end, if any, ends it somewhere in between.
func hammer(t *testing.T, a, b *account.Service, first account.Tokens, end func() error) *chain {
	t.Helper()
	c, replicas := newChain(first), []*account.Service{a, b}
	var (
		wg    sync.WaitGroup
		ended = make(chan struct{})
	)
	for i := range 8 {
		wg.Go(func() {
			for range 6 {
				over := false
				select {
				case <-ended:
					over = true
				default:
				}
				token := c.pick()
				answer, err := replicas[i%2].Refresh(t.Context(), token)
				switch {
				case err == nil && over:
					t.Error("a refresh that began after the session's end succeeded")
				case err == nil && !c.got(token, answer):
					t.Error("a token has two successors")
				case err != nil && (end == nil || !errors.Is(err, account.ErrRefresh)):
					t.Errorf("Refresh = %v", err)
				}
			}
		})
	}
	if end != nil {
		done := make(chan struct{})
		go func() { wg.Wait(); close(done) }()
		select {
		case <-c.enough:
		case <-done:
			select {
			case <-c.enough:
			default:
				t.Error("the clients were done before the session's end")
			}
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		close(ended)
	}
	wg.Wait()
	return c
}

// Whatever the interleaving, it is as if the refreshes had come one after the
// other: each token has one successor, and they form a line.
func TestConcurrentRefreshesAreLikeRefreshesInTurn(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clocktest.Clock) {
		for _, name := range []string{"ada", "bob", "cyd"} {
			first := mustRegister(t, a, name)
			c := hammer(t, a, b, first, nil)
			if c.refreshes != 48 || !c.isPath(first.Refresh) {
				t.Errorf("%d refreshes exchanged %d tokens that are no line", c.refreshes, len(c.successor))
			}
			for _, access := range c.access {
				if _, err := b.Authenticate(t.Context(), access); err != nil {
					t.Errorf("an access token of the session does not work: %v", err)
				}
			}
		}
	})
}

// After the end nothing works, however many clients were refreshing meanwhile.
func TestNothingWorksAfterAConcurrentEnd(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clocktest.Clock) {
		for name, end := range map[string]func(first account.Tokens, session string) error{
			"logout":      func(first account.Tokens, _ string) error { return b.Logout(t.Context(), first.Access) },
			"end-session": func(first account.Tokens, id string) error { return b.EndSession(t.Context(), first.User.ID, id) },
			"password": func(first account.Tokens, _ string) error {
				return b.ChangePassword(t.Context(), first.User.ID, "", secret, secret+"!")
			},
			"deactivation": func(first account.Tokens, _ string) error { return b.SetActive(t.Context(), first.User.ID, false) },
			"replacement": func(first account.Tokens, _ string) error {
				_, err := b.ReplacePassword(t.Context(), first.User.Email, secret+"?")
				return err
			},
		} {
			first := mustRegister(t, a, name)
			who, err := a.Authenticate(t.Context(), first.Access)
			if err != nil {
				t.Fatal(err)
			}
			c := hammer(t, a, b, first, func() error { return end(first, who.SessionID) })
			if !c.isPath(first.Refresh) {
				t.Errorf("%s: the tokens are no line", name)
			}
			for _, s := range []*account.Service{a, b} {
				for _, access := range c.access {
					if _, err := s.Authenticate(t.Context(), access); !errors.Is(err, account.ErrToken) {
						t.Errorf("after %s: Authenticate = %v, want ErrToken", name, err)
					}
				}
				for token, next := range c.successor {
					for _, raw := range []string{token, next} {
						if _, err := s.Refresh(t.Context(), raw); !errors.Is(err, account.ErrRefresh) {
							t.Errorf("after %s: Refresh = %v, want ErrRefresh", name, err)
						}
					}
				}
			}
			if n := rowsOf(t, a, first.User.ID); n != 0 {
				t.Errorf("after %s: %d sessions are left", name, n)
			}
		}
	})
}

// Of many who use a token that was stolen and replaced, none gets anything, and
// the session is over for all.
func TestConcurrentReuseEndsTheSession(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clocktest.Clock) {
		stolen := mustRegister(t, a, "ada")
		c.Advance(account.RefreshGrace)
		current, err := a.Refresh(t.Context(), stolen.Refresh)
		if err != nil {
			t.Fatal(err)
		}
		c.Advance(account.RefreshGrace + time.Millisecond)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if _, err := []*account.Service{a, b}[i%2].Refresh(t.Context(), stolen.Refresh); !errors.Is(err,
					account.ErrRefresh) {
					t.Errorf("Refresh of the stolen token = %v, want ErrRefresh", err)
				}
			})
		}
		wg.Wait()
		if _, err := b.Refresh(t.Context(), current.Refresh); !errors.Is(err, account.ErrRefresh) {
			t.Errorf("Refresh of the current token = %v, want ErrRefresh", err)
		}
		if _, err := a.Authenticate(t.Context(), current.Access); !errors.Is(err, account.ErrToken) {
			t.Errorf("Authenticate = %v, want ErrToken", err)
		}
	})
}
