// Package ratelimit counts requests against limits with GCRA (CONTRACT 1): in
// this process's memory, or in Redis when several replicas share their limits.
//
// It does not know what is limited or by what key; see package httpapi/limit for
// the table of spec A.
package ratelimit

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/goredisstore.v9"
	"github.com/throttled/throttled/v2/store/memstore"
)

// Rule is one limit: at most Limit requests at once, and Limit in every Window
// after that, evenly refilled.
type Rule struct {
	Name   string // names the limit in headers and keys; unique
	Limit  int
	Window time.Duration
}

// Decision says whether a request may pass, and what is left.
type Decision struct {
	Allowed   bool
	Remaining int
	// Reset is when the whole limit is available again if nothing more is asked.
	Reset time.Duration
	// RetryAfter is when the next request may pass. Zero if this one did.
	RetryAfter time.Duration
}

// Limiter decides. Create it with New. It is safe for concurrent use.
type Limiter struct {
	rules  map[string]throttled.RateLimiterCtx // in memory, by rule name
	shared map[string]throttled.RateLimiterCtx // in Redis; nil without it
	log    *slog.Logger
	wait   time.Duration // for Redis

	failures atomic.Int64 // of Redis, in a row
	mu       sync.Mutex
	nextUp   time.Time // when Redis is asked again after it went down
}

const (
	// maxKeys bounds the memory of each rule: its least recently used keys are
	// forgotten. At about 200 bytes each that is 10 MB. A rule whose keys anybody
	// can make up does not make another forget.
	maxKeys = 50_000
	// casAttempts is how often a counter is tried when many requests of one key
	// race for it. More than there are requests at once.
	casAttempts  = 10_000
	redisTimeout = 100 * time.Millisecond
	// redisPause is how long Redis is left alone after a failure.
	redisPause = time.Second
	// redisFailures in a row make Redis count as down: one slow answer does not.
	redisFailures = 3
)

// Options are what New needs.
type Options struct {
	Rules []Rule
	Now   func() time.Time // for the limits in memory
	Log   *slog.Logger
	// Redis shares the limits between replicas. Without it each replica counts for
	// itself.
	Redis redis.UniversalClient
	// RedisTimeout is how long a request waits for Redis before it is counted here
	// instead; 100 ms if zero.
	RedisTimeout time.Duration
}

// New returns a Limiter for the given rules.
func New(o Options) (*Limiter, error) {
	l := &Limiter{log: o.Log, wait: cmp.Or(o.RedisTimeout, redisTimeout)}
	var err error
	l.rules, err = limiters(o.Rules, func() (throttled.GCRAStoreCtx, error) {
		mem, err := memstore.New(maxKeys)
		if err != nil {
			return nil, err
		}
		mem.SetTimeNow(o.Now)
		return throttled.WrapStoreWithContext(mem), nil
	})
	if err == nil && o.Redis != nil {
		l.shared, err = limiters(o.Rules, func() (throttled.GCRAStoreCtx, error) { return goredisstore.NewCtx(o.Redis, "stoa:limit:") })
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// limiters returns a limiter for each rule, each with a store of its own.
func limiters(rules []Rule, store func() (throttled.GCRAStoreCtx, error)) (map[string]throttled.RateLimiterCtx, error) {
	byName := make(map[string]throttled.RateLimiterCtx, len(rules))
	for _, r := range rules {
		st, err := store()
		if err != nil {
			return nil, fmt.Errorf("ratelimit: %s: %w", r.Name, err)
		}
		l, err := throttled.NewGCRARateLimiterCtx(st, throttled.RateQuota{
			MaxRate: throttled.PerDuration(r.Limit, r.Window), MaxBurst: r.Limit - 1, // the first is not part of the burst
		})
		if err != nil {
			return nil, fmt.Errorf("ratelimit: %s: %w", r.Name, err)
		}
		l.SetMaxCASAttemptsLimit(casAttempts)
		byName[r.Name] = l
	}
	return byName, nil
}

// Take counts one request of key against rule, which must be one of those given
// to New.
//
// What Redis allows is counted in this process, too, and must be allowed here as
// well: when Redis goes away, or comes back with nothing, nobody's count begins
// anew. While Redis does not answer, this process counts for itself.
func (l *Limiter) Take(ctx context.Context, rule Rule, key string) Decision {
	key = rule.Name + ":" + key
	if l.shared != nil && l.tryRedis() {
		bounded, cancel := context.WithTimeout(ctx, l.wait)
		d, err := take(bounded, l.shared[rule.Name], key)
		cancel()
		if ctx.Err() == nil { // a client that left says nothing about Redis
			l.noteRedis(ctx, err)
		}
		if err == nil && !d.Allowed {
			return d
		}
		if err == nil {
			if here := l.local(ctx, rule, key); !here.Allowed {
				return here
			}
			return d
		}
	}
	return l.local(ctx, rule, key)
}

// local counts in this process.
func (l *Limiter) local(ctx context.Context, rule Rule, key string) Decision {
	// The store in memory fails only when a counter is lost to other requests of
	// the same key ten thousand times over: a flood, so the answer is no.
	d, err := take(context.WithoutCancel(ctx), l.rules[rule.Name], key)
	if err != nil {
		return Decision{RetryAfter: rule.Window / time.Duration(rule.Limit)}
	}
	return d
}

func take(ctx context.Context, l throttled.RateLimiterCtx, key string) (Decision, error) {
	limited, res, err := l.RateLimitCtx(ctx, key, 1)
	if err != nil {
		return Decision{}, err
	}
	return Decision{Allowed: !limited, Remaining: res.Remaining, Reset: res.ResetAfter, RetryAfter: max(res.RetryAfter, 0)}, nil
}

// tryRedis reports whether Redis should be asked. The clock is the machine's:
// how long an outage lasts has nothing to do with the limits.
func (l *Limiter) tryRedis() bool {
	if l.failures.Load() < redisFailures {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.nextUp) {
		return false
	}
	l.nextUp = time.Now().Add(redisPause) // one request probes; the others go on locally
	return true
}

// noteRedis remembers whether Redis answered and logs when that changes.
func (l *Limiter) noteRedis(ctx context.Context, err error) {
	if err == nil {
		if l.failures.Load() > 0 && l.failures.Swap(0) >= redisFailures {
			l.log.InfoContext(ctx, "Redis answers again: rate limits are shared")
		}
		return
	}
	n := l.failures.Add(1)
	if n < redisFailures {
		return
	}
	l.mu.Lock()
	l.nextUp = time.Now().Add(redisPause)
	l.mu.Unlock()
	if n == redisFailures {
		l.log.WarnContext(ctx, "Redis does not answer: until it does, each replica counts rate limits on its own", slog.Any("err", err))
	}
}
