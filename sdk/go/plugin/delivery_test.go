package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// deliver sends a delivery and returns the answer.
func deliver(h http.Handler, target, id, body string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	verifier().Handler(h).ServeHTTP(rec, SignedRequest(TestRequest{
		Secret: secret, Method: http.MethodPost, Target: target, Body: []byte(body), HookID: id, Now: now,
	}))
	return rec
}

const hookBody = `{"installationId":"i-1","pluginSlug":"visits","instanceKey":"eu","config":{"a":1},
	"previousVersion":"1.0.0"}`

func TestEachHookReachesItsFunctionOnce(t *testing.T) {
	t.Parallel()

	var got []Hook
	note := func(ctx context.Context, h Hook) error {
		if FromContext(ctx) == nil {
			t.Error("the function has no context")
		}
		got = append(got, h)
		return nil
	}
	hooks := &Hooks{OnUpgrade: note, OnEnable: note}
	for _, d := range []struct{ target, id string }{
		{"/base/__lifecycle/onUpgrade", "1"},
		{"/base/__lifecycle/onUpgrade", "1"}, // again
		{"/__lifecycle/onEnable", "2"},
		{"/__lifecycle/onDisable", "3"}, // nobody asks for it
	} {
		if rec := deliver(hooks, d.target, d.id, hookBody); rec.Code != http.StatusNoContent {
			t.Errorf("%s %s: %d", d.target, d.id, rec.Code)
		}
	}
	if len(got) != 2 || got[0].Name != "onUpgrade" || got[0].ID != "1" || got[0].Attempt != 1 ||
		got[0].InstallationID != "i-1" || got[0].PreviousVersion != "1.0.0" || string(got[0].Config) != `{"a":1}` ||
		got[1].Name != "onEnable" {
		t.Errorf("hooks = %+v", got)
	}
}

func TestEventsReachTheFunctionsThatFit(t *testing.T) {
	t.Parallel()

	got := map[string]int{}
	note := func(pattern string) EventFunc {
		return func(_ context.Context, e Event) error {
			var data EventData
			if err := json.Unmarshal(e.Data, &data); err != nil || data.OrderID != "o-1" || e.ID != "e-1" {
				t.Errorf("event = %+v, %v", e, err)
			}
			got[pattern]++
			return nil
		}
	}
	events := &Events{On: map[string]EventFunc{}}
	for _, pattern := range []string{"order.paid", "order.*", "*", "order", "order.pai", "license.*"} {
		events.On[pattern] = note(pattern)
	}
	body := `{"id":"e-1","type":"order.paid","occurredAt":"2026-01-31T12:00:00.000Z","data":{"orderId":"o-1"}}`
	for range 2 {
		if rec := deliver(events, "/events", "1", body); rec.Code != http.StatusNoContent {
			t.Errorf("answer = %d", rec.Code)
		}
	}
	if len(got) != 3 || got["order.paid"] != 1 || got["order.*"] != 1 || got["*"] != 1 {
		t.Errorf("calls = %v", got)
	}
}

func TestAHandlerSaysWhatComesNext(t *testing.T) {
	t.Parallel()

	failure := errors.New("no disk")
	for _, tt := range []struct {
		name   string
		err    error
		status int
		after  string
	}{
		{"an error", failure, http.StatusInternalServerError, ""},
		{"later", &Failed{Err: failure, RetryAfter: 1500 * time.Millisecond}, http.StatusServiceUnavailable, "2"},
		{"never", &Failed{Err: failure, Stop: true}, http.StatusGone, ""},
	} {
		calls, reported := 0, error(nil)
		hooks := &Hooks{
			OnEnable: func(context.Context, Hook) error { calls++; return tt.err },
			OnError:  func(err error) { reported = err },
		}
		for range 2 { // what failed is tried again
			rec := deliver(hooks, "/__lifecycle/onEnable", "1", hookBody)
			if rec.Code != tt.status || rec.Header().Get("Retry-After") != tt.after {
				t.Errorf("%s: %d, Retry-After %q", tt.name, rec.Code, rec.Header().Get("Retry-After"))
			}
		}
		if calls != 2 || !errors.Is(reported, failure) {
			t.Errorf("%s: %d calls, reported %v", tt.name, calls, reported)
		}
	}
}

func TestARepetitionWaitsForTheFirst(t *testing.T) {
	t.Parallel()

	var calls atomic.Int32
	entered, release := make(chan struct{}), make(chan struct{})
	hooks := &Hooks{OnEnable: func(context.Context, Hook) error {
		calls.Add(1)
		close(entered)
		<-release
		return nil
	}}
	var running sync.WaitGroup
	for i := range 4 {
		running.Add(1)
		go func() {
			defer running.Done()
			if i > 0 {
				<-entered
			}
			if rec := deliver(hooks, "/__lifecycle/onEnable", "1", hookBody); rec.Code != http.StatusNoContent {
				t.Errorf("answer = %d", rec.Code)
			}
		}()
	}
	<-entered
	close(release)
	running.Wait()
	if calls.Load() != 1 {
		t.Errorf("the function was called %d times", calls.Load())
	}
}

func TestOnlyThePlatformDelivers(t *testing.T) {
	t.Parallel()

	hooks := &Hooks{OnEnable: func(context.Context, Hook) error { t.Error("called"); return nil }}
	bare := httptest.NewRecorder() // not behind the verifier
	hooks.ServeHTTP(bare, SignedRequest(TestRequest{
		Secret: "guessed", Method: http.MethodPost, Target: "/__lifecycle/onEnable", HookID: "1",
	}))
	client := deliver(hooks, "/__lifecycle/onEnable", "", hookBody) // a client's request has no x-hook-id
	if bare.Code != http.StatusUnauthorized || client.Code != http.StatusUnauthorized {
		t.Errorf("answers = %d, %d, want 401", bare.Code, client.Code)
	}
}

// The memory of deliveries is bounded and forgets the oldest first.
func TestOldDeliveriesAreForgotten(t *testing.T) {
	t.Parallel()

	var d deliveries
	for i := range maxSeen + 1 {
		if err := d.Add(context.Background(), string(rune(i))); err != nil {
			t.Fatal(err)
		}
	}
	first, _ := d.Has(context.Background(), string(rune(0)))
	last, _ := d.Has(context.Background(), string(rune(maxSeen)))
	if first || !last || len(d.memory) != maxSeen {
		t.Errorf("first %v, last %v of %d", first, last, len(d.memory))
	}
}
