// Package ratelimit counts requests against limits with GCRA (contract 1.7): in
// this process's memory, or in Redis when several replicas share their limits.
//
// It does not know what is limited, nor by which key; package api/limit has the
// table.
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

// Rule is one limit: a burst of at most Limit requests, refilled evenly at Limit
// requests per Window.
type Rule struct {
	Name   string // unique; part of headers and keys
	Limit  int
	Window time.Duration
}

// Decision says whether a request is allowed, and how many more are.
type Decision struct {
	Allowed   bool
	Remaining int
	// Reset is how long it takes, without further requests, until the whole limit is
	// available again.
	Reset time.Duration
	// RetryAfter is how long it takes until the next request is allowed. It is zero if
	// this one is.
	RetryAfter time.Duration
}

// Limiter counts requests and decides which are allowed. New makes one. It is safe for
// concurrent use.
type Limiter struct {
	rules  map[string]throttled.RateLimiterCtx // in memory, by rule name
	shared map[string]throttled.RateLimiterCtx // in Redis; nil without it
	log    *slog.Logger
	wait   time.Duration // for Redis

	failures atomic.Int64 // of Redis, in a row
	mu       sync.Mutex
	nextUp   time.Time // when to ask Redis again after an outage began
}

const (
	// maxKeys bounds the memory of each rule, about 10 MB at 200 bytes a key: the least recently
	// used keys are evicted. Every rule has its own store, so that forged keys of one rule evict no
	// keys of another.
	maxKeys = 50_000
	// casAttempts bounds the retries of a counter update that loses a race. It exceeds the number
	// of concurrent requests.
	casAttempts  = 10_000
	redisTimeout = 100 * time.Millisecond
	// redisPause is how long Redis is not asked after a failure.
	redisPause = time.Second
	// redisFailures is how many consecutive failures mean that Redis is down; a single slow answer
	// does not.
	redisFailures = 3
)

// Options are what New needs.
type Options struct {
	Rules []Rule
	Now   func() time.Time // for the limits in memory
	Log   *slog.Logger
	// Redis shares the limits between replicas. If it is nil, each replica counts its own requests.
	Redis redis.UniversalClient
	// RedisTimeout is how long a request waits for Redis before this process counts alone; 100 ms
	// if zero.
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
		l.shared, err = limiters(o.Rules, func() (throttled.GCRAStoreCtx, error) {
			return goredisstore.NewCtx(o.Redis, "stoa:limit:")
		})
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// limiters returns a limiter for each rule, each with its own store.
func limiters(
	rules []Rule, store func() (throttled.GCRAStoreCtx, error),
) (map[string]throttled.RateLimiterCtx, error) {
	byName := make(map[string]throttled.RateLimiterCtx, len(rules))
	for _, r := range rules {
		st, err := store()
		if err != nil {
			return nil, fmt.Errorf("ratelimit: %s: %w", r.Name, err)
		}
		l, err := throttled.NewGCRARateLimiterCtx(st, throttled.RateQuota{
			MaxRate:  throttled.PerDuration(r.Limit, r.Window),
			MaxBurst: r.Limit - 1, // the first request is not part of the burst
		})
		if err != nil {
			return nil, fmt.Errorf("ratelimit: %s: %w", r.Name, err)
		}
		l.SetMaxCASAttemptsLimit(casAttempts)
		byName[r.Name] = l
	}
	return byName, nil
}

// Take counts one request with that key against rule, which must be one of those given
// to New.
//
// A request that Redis allows is also counted in this process and must be allowed here: if Redis
// goes down or loses its data, no count starts over. While Redis is down, this process counts
// alone.
func (l *Limiter) Take(ctx context.Context, rule Rule, key string) Decision {
	key = rule.Name + ":" + key
	if l.shared != nil && l.tryRedis() {
		bounded, cancel := context.WithTimeout(ctx, l.wait)
		d, err := take(bounded, l.shared[rule.Name], key)
		cancel()
		if ctx.Err() == nil { // a canceled request says nothing about Redis
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

// local counts a request in this process.
func (l *Limiter) local(ctx context.Context, rule Rule, key string) Decision {
	// The store in memory fails only if requests with the same key win ten thousand races for the
	// counter: a flood, so refuse.
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
	return Decision{
		Allowed: !limited, Remaining: res.Remaining, Reset: res.ResetAfter, RetryAfter: max(res.RetryAfter, 0),
	}, nil
}

// tryRedis reports whether to ask Redis. It uses the real clock, not that of the limits.
func (l *Limiter) tryRedis() bool {
	if l.failures.Load() < redisFailures {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.nextUp) {
		return false
	}
	l.nextUp = time.Now().Add(redisPause) // one request probes Redis; the others are counted locally
	return true
}

// noteRedis records whether Redis answered, and logs when that changes.
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
		l.log.WarnContext(ctx, "Redis does not answer: until it does, each replica counts rate limits on its own",
			slog.Any("err", err))
	}
}
