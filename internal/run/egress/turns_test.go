package egress

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stoa/internal/base/pace"
)

// TestAPluginThatCallsWithoutEndWaitsForItsTurn: on a played clock, calls beyond those at once
// take as long as their rate says.
func TestAPluginThatCallsWithoutEndWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	waited := time.Duration(0)
	calls := newTurns(callsPerSec, callsBurst)
	calls.bucket, calls.now = pace.NewBucket(callsPerSec, callsBurst, now), func() time.Time { return now }
	calls.after = func(wait time.Duration) <-chan time.Time {
		now, waited = now.Add(wait), waited+wait
		ready := make(chan time.Time, 1)
		ready <- now
		return ready
	}
	served := 0
	h := inTurn(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }), calls)
	for range callsBurst + 5*callsPerSec {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	}
	if served != callsBurst+5*callsPerSec || waited.Round(time.Millisecond) != 5*time.Second {
		t.Errorf("%d calls waited %s, want 5 s", served, waited)
	}
}

func TestWhoWaitsForATurnGoesWithTheListener(t *testing.T) {
	t.Parallel()
	conns := newTurns(1, 0)
	conns.after = func(time.Duration) <-chan time.Time { return nil }
	ended := make(chan struct{})
	close(ended)
	if conns.wait(ended) || !(*turns)(nil).wait(nil) {
		t.Error("it was the turn of one who has gone, or nobody's")
	}
}

// A call that is given up while it waits is not served out of turn, and takes no turn from later ones.
func TestCallsThatAreGivenUpAreNotServed(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	calls := newTurns(1, 1)
	calls.bucket, calls.now = pace.NewBucket(1, 1, now), func() time.Time { return now }
	calls.after = func(time.Duration) <-chan time.Time { return nil }
	served := 0
	h := inTurn(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }), calls)
	gone, give := context.WithCancel(t.Context())
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(gone, http.MethodGet, "/", nil))
	give()
	for range 100 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(gone, http.MethodGet, "/", nil))
	}
	if served != 1 {
		t.Errorf("%d calls were served, want the first alone", served)
	}
	now = now.Add(time.Second)
	if !calls.wait(gone.Done()) {
		t.Error("a call a second later has to wait for those that nobody waits for")
	}
}
