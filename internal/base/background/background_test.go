package background_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/testkit/logtest"
)

// run runs a task every hour for two hours and a half. It returns when the calls
// began, and the log.
func run(t *testing.T, limit time.Duration, do func(ctx context.Context) error) (began []time.Duration, log string) {
	t.Helper()
	var buf logtest.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	task := background.Task{Every: time.Hour, Limit: limit, Log: buf.Logger(), Failed: "the sweep failed"}
	start, ended := time.Now(), make(chan struct{})
	go func() {
		defer close(ended)
		task.Run(ctx, func(ctx context.Context) error {
			began = append(began, time.Since(start))
			return do(ctx)
		})
	}()
	time.Sleep(150 * time.Minute) // of the bubble's clock
	cancel()
	<-ended
	return began, buf.String()
}

var hourly = []time.Duration{0, time.Hour, 2 * time.Hour}

func TestTasksRunAtOnceAndThenAtTheInterval(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		began, log := run(t, 0, func(context.Context) error { return nil })
		if !slices.Equal(began, hourly) || log != "" {
			t.Errorf("began after %v, log %q; want %v and nothing", began, log, hourly)
		}
	})
}

func TestFailuresAreLoggedAndTheTaskGoesOn(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		began, log := run(t, 0, func(context.Context) error { return errors.New("no database") })
		if !slices.Equal(began, hourly) {
			t.Errorf("began after %v, want %v", began, hourly)
		}
		if n := strings.Count(log, "the sweep failed"); n != 3 || !strings.Contains(log, "no database") {
			t.Errorf("logged %d failures, want 3:\n%s", n, log)
		}
	})
}

func TestRunsAreLimited(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var took []time.Duration
		began, log := run(t, time.Minute, func(ctx context.Context) error {
			start := time.Now()
			<-ctx.Done()
			took = append(took, time.Since(start))
			return ctx.Err()
		})
		if !slices.Equal(began, hourly) || !slices.Equal(took, []time.Duration{time.Minute, time.Minute, time.Minute}) {
			t.Errorf("began after %v and took %v; want %v, a minute each", began, took, hourly)
		}
		if n := strings.Count(log, "deadline exceeded"); n != 3 {
			t.Errorf("logged %d failures, want 3:\n%s", n, log)
		}
	})
}

func TestTheEndIsNotAFailure(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		began, log := run(t, 0, func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
		if len(began) != 1 || log != "" {
			t.Errorf("%d calls, log %q; want one call and nothing logged", len(began), log)
		}
	})
}
