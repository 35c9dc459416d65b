// Package waittest waits in tests for what happens soon, however busy the machine is, and
// fails with the last thing that was seen.
package waittest

import (
	"errors"
	"testing"
	"time"
)

const (
	limit = 5 * time.Minute
	// What takes long is looked at less often: a look may take milliseconds of a processor, too.
	leastPause = 5 * time.Millisecond
	mostPause  = 50 * time.Millisecond
)

func pause(waited time.Duration) { time.Sleep(min(max(leastPause, waited/20), mostPause)) }

// Until calls probe again and again until it returns nil. After five minutes it ends the test with
// probe's last error.
func Until(tb testing.TB, what string, probe func() error) {
	tb.Helper()
	for begin := time.Now(); ; pause(time.Since(begin)) {
		err := probe()
		if err == nil {
			return
		}
		if time.Since(begin) > limit {
			tb.Fatalf("waited %v for %s; at last: %v", limit, what, err)
		}
	}
}

var errNotYet = errors.New("not yet")

// True is Until for a condition that says no more than yes or no.
func True(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	Until(tb, what, func() error {
		if holds() {
			return nil
		}
		return errNotYet
	})
}

// limits are those that Within tries.
var limits = []time.Duration{time.Second / 2, 2 * time.Second, 8 * time.Second, 32 * time.Second}

// Within calls try with longer and longer limits, from half a second to half a minute, until it returns nil. It ends
// the test with the error that try returned for the last of them.
//
// It is for what must go on although a time limit of the product has passed, where something must have come before its
// end: a busy machine takes longer than a short limit for that, and a fault that is
// always there fails at each of them.
func Within(tb testing.TB, what string, try func(limit time.Duration) error) {
	tb.Helper()
	var err error
	for _, limit := range limits {
		if err = try(limit); err == nil {
			return
		}
		tb.Logf("%s, with a limit of %v: %v", what, limit, err)
	}
	tb.Fatalf("%s: not within %v either: %v", what, limits[len(limits)-1], err)
}

// Next returns the next value from a channel. After five minutes it ends the test.
func Next[T any](tb testing.TB, what string, from <-chan T) T {
	tb.Helper()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case v := <-from:
		return v
	case <-late.C:
		tb.Fatalf("waited %v for %s", limit, what)
		panic("unreachable")
	}
}
