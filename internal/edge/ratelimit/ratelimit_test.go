package ratelimit_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/edge/ratelimit"
	"stoa/internal/testkit/logtest"
)

var (
	t0   = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	rule = ratelimit.Rule{Name: "login", Limit: 10, Window: time.Minute}

	other = ratelimit.Rule{Name: "refresh", Limit: 60, Window: time.Hour}
)

// clock stands still until it is moved.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time          { return t0.Add(time.Duration(c.offset.Load())) }
func (c *clock) advance(d time.Duration) { c.offset.Add(int64(d)) }

func newLimiter(t *testing.T) (*ratelimit.Limiter, *clock) {
	t.Helper()
	c := new(clock)
	l, err := ratelimit.New(ratelimit.Options{Rules: []ratelimit.Rule{rule, other}, Now: c.now, Log: logtest.New(t)})
	if err != nil {
		t.Fatal(err)
	}
	return l, c
}

func TestTakeAllowsTheLimitAndNotOneBeyond(t *testing.T) {
	t.Parallel()

	l, c := newLimiter(t)
	for i := range rule.Limit {
		if d := l.Take(t.Context(), rule, "a"); !d.Allowed || d.Remaining != rule.Limit-1-i {
			t.Fatalf("request %d: %+v, want allowed with %d left", i+1, d, rule.Limit-1-i)
		}
	}
	d := l.Take(t.Context(), rule, "a")
	if d.Allowed || d.RetryAfter != 6*time.Second || d.Reset != time.Minute {
		t.Errorf("request %d: %+v, want refused for 6 s, whole again in 1 min", rule.Limit+1, d)
	}
	if d := l.Take(t.Context(), rule, "b"); !d.Allowed {
		t.Error("another key is refused")
	}
	c.advance(6*time.Second - time.Millisecond)
	if d := l.Take(t.Context(), rule, "a"); d.Allowed {
		t.Error("allowed before RetryAfter has passed")
	}
	c.advance(time.Millisecond)
	if d := l.Take(t.Context(), rule, "a"); !d.Allowed {
		t.Error("refused although RetryAfter has passed")
	}
}

func TestTakeIsExactUnderParallelCallers(t *testing.T) {
	t.Parallel()

	l, _ := newLimiter(t)
	var (
		wg      sync.WaitGroup
		allowed atomic.Int64
	)
	for range 500 {
		wg.Go(func() {
			if l.Take(t.Context(), rule, "a").Allowed {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	if allowed.Load() != int64(rule.Limit) {
		t.Errorf("allowed %d of 500, want %d", allowed.Load(), rule.Limit)
	}
}

func TestTakeForgetsTheOldestKeysRatherThanGrow(t *testing.T) {
	t.Parallel()

	l, _ := newLimiter(t)
	for i := range 60_000 {
		l.Take(t.Context(), rule, fmt.Sprint(i))
	}
	if d := l.Take(t.Context(), rule, "59999"); d.Remaining != rule.Limit-2 {
		t.Errorf("the newest key was forgotten: %+v", d)
	}
	if d := l.Take(t.Context(), rule, "0"); d.Remaining != rule.Limit-1 {
		t.Errorf("the oldest key is still there: %+v", d)
	}
}

// Forging refresh tokens by the hundred thousand must not reset the limit of logins for any client.
func TestKeysOfOneRuleNeverEvictThoseOfAnother(t *testing.T) {
	t.Parallel()

	l, _ := newLimiter(t)
	for range rule.Limit {
		l.Take(t.Context(), rule, "a")
	}
	for i := range 120_000 {
		l.Take(t.Context(), other, fmt.Sprint(i))
	}
	if d := l.Take(t.Context(), rule, "a"); d.Allowed {
		t.Error("the login limit was forgotten")
	}
}
