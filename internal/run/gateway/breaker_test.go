package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/edge/http1"
	"stoa/internal/run"
	"stoa/internal/run/relay"
)

// calls makes n calls that all end with err.
func calls(t *testing.T, b *breaker, n int, err error) {
	t.Helper()
	for range n {
		v, refused := b.begin()
		if refused != nil {
			t.Fatalf("a call is refused: %v", refused)
		}
		v.settle(err)
	}
}

func wantOpen(t *testing.T, b *breaker, retryAfter time.Duration) {
	t.Helper()
	_, err := b.begin()
	e, ok := errors.AsType[*errs.Error](err)
	if !ok || !errors.Is(err, ErrOpen) || e.RetryAfter != retryAfter {
		t.Errorf("got %v, want ErrOpen with Retry-After %s", err, retryAfter)
	}
}

func TestTheBreakerOpensAtHalfOfTenCalls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		good, bad, ignored int
		opens              bool
	}{
		"nine failures": {0, 9, 20, false}, "ten failures": {0, 10, 0, true},
		"half of ten": {5, 5, 0, true}, "less than half": {6, 5, 0, false}, "half of many": {30, 30, 5, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBreaker(func(bool) {})
			calls(t, b, c.good, nil)
			calls(t, b, c.ignored, errNoVerdict)
			calls(t, b, c.bad, errFailed)
			if opened := b.refusal() != nil; opened != c.opens {
				t.Errorf("%s: open is %t", name, opened)
			}
		})
	}
}

func TestTheBreakerTriesAgainWithOneCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var changes []bool
		b := newBreaker(func(open bool) { changes = append(changes, open) })
		calls(t, b, breakerCalls, errFailed)
		wantOpen(t, b, breakerPause)
		time.Sleep(breakerPause - 7*time.Second)
		wantOpen(t, b, 7*time.Second)

		time.Sleep(7*time.Second + time.Millisecond)
		if err := b.refusal(); err != nil {
			t.Errorf("the body of the call that tries is not read: %v", err)
		}
		probe, err := b.begin()
		if err != nil {
			t.Fatalf("the call that tries is refused: %v", err)
		}
		wantOpen(t, b, time.Second) // a second one
		probe.settle(errNoVerdict)  // its client left
		if probe, err = b.begin(); err != nil {
			t.Fatalf("after a call without a verdict, the next is refused: %v", err)
		}
		probe.settle(errFailed)
		wantOpen(t, b, breakerPause)

		time.Sleep(breakerPause + time.Millisecond)
		calls(t, b, 1, nil)
		calls(t, b, breakerCalls-1, errFailed) // it counts from the beginning
		if b.opened.Load() != nil || len(changes) != 2 || !changes[0] || changes[1] {
			t.Errorf("changes: %v", changes)
		}
	})
}

func TestCallsLeaveTheBreakersWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(func(bool) {})
		calls(t, b, breakerCalls-1, errFailed)
		time.Sleep(breakerWindow + breakerBucket)
		calls(t, b, breakerCalls-1, errFailed)
		if b.refusal() != nil {
			t.Error("failures of the minute before still count")
		}
	})
}

func TestOnlyTheFirstVerdictOfACallCounts(t *testing.T) {
	t.Parallel()
	b := newBreaker(func(bool) {})
	for range breakerCalls {
		v, err := b.begin()
		if err != nil {
			t.Fatal(err)
		}
		v.settle(nil)       // its answer began
		v.settle(errFailed) // and broke off
	}
	if b.refusal() != nil {
		t.Error("answers that broke off opened it")
	}
}

// What cannot be sent says nothing about the plugin.
func TestARequestThatCannotBeSentDoesNotCount(t *testing.T) {
	t.Parallel()
	b := newBreaker(func(bool) {})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/x", http.NoBody)
	for range breakerCalls {
		v, err := b.begin()
		if err != nil {
			t.Fatal(err)
		}
		v.settleBy(r, run.ErrUnreachable.Because(&relay.Failure{Cause: fmt.Errorf("%w: a header", http1.ErrUnsendable)}))
	}
	if err := b.refusal(); err != nil || b.sum.all != 0 {
		t.Errorf("%d calls count: %v", b.sum.all, err)
	}
}
