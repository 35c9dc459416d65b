package ratelimit_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"stoa/internal/edge/ratelimit"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/redistest"
	"stoa/internal/testkit/waittest"
)

// slow refills only long after the test: Redis counts in real time.
var slow = ratelimit.Rule{Name: "register", Limit: 5, Window: time.Hour}

// patient is more than a busy machine takes to answer.
const patient = 30 * time.Second

// replica returns a limiter of one of several replicas.
func replica(t *testing.T, srv *redistest.Server, log *logtest.Buffer, wait time.Duration) *ratelimit.Limiter {
	t.Helper()
	opts, err := redis.ParseURL(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	if wait > 0 { // a command that is late must not be sent again, which counts twice
		opts.ReadTimeout, opts.WriteTimeout, opts.PoolTimeout, opts.MaxRetries = wait, wait, wait, -1
	}
	client := redis.NewClient(opts)
	t.Cleanup(func() { _ = client.Close() })
	l, err := ratelimit.New(
		ratelimit.Options{
			Rules:        []ratelimit.Rule{rule, slow},
			Now:          time.Now,
			Log:          log.Logger(),
			Redis:        client,
			RedisTimeout: wait,
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestReplicasShareOneLimitInRedis(t *testing.T) {
	t.Parallel()

	var log logtest.Buffer
	srv := redistest.New(t)
	replicas := []*ratelimit.Limiter{replica(t, srv, &log, patient), replica(t, srv, &log, patient)}
	var (
		wg      sync.WaitGroup
		allowed atomic.Int64
	)
	for i := range 40 {
		wg.Go(func() {
			if replicas[i%2].Take(t.Context(), slow, "a").Allowed {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	if allowed.Load() != int64(slow.Limit) {
		t.Errorf("allowed %d of 40, want %d; log: %s", allowed.Load(), slow.Limit, log.String())
	}
}

func TestWithoutRedisEachReplicaCountsAloneAndLogsIt(t *testing.T) {
	t.Parallel()

	var log logtest.Buffer
	srv := redistest.New(t)
	l := replica(t, srv, &log, 0)
	l.Take(t.Context(), slow, "a")
	srv.Stop()

	allowed := 1 // while Redis was there
	for range 3 * slow.Limit {
		if l.Take(t.Context(), slow, "a").Allowed {
			allowed++
		}
	}
	if allowed != slow.Limit {
		t.Errorf("allowed %d before and after Redis went away, want %d", allowed, slow.Limit)
	}
	if n := strings.Count(log.String(), "Redis does not answer"); n != 1 {
		t.Errorf("logged %d times that Redis is down, want once", n)
	}

	srv.Start(t) // with nothing in it
	waittest.True(t, "Redis to be asked again", func() bool {
		l.Take(t.Context(), rule, "b")
		return strings.Contains(log.String(), "Redis answers again")
	})
	if l.Take(t.Context(), slow, "a").Allowed {
		t.Error("a Redis that came back empty gave a fresh budget")
	}
}
