package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

type probeKey struct{}

// inRequest runs fn in a handler whose context is a child of parent with a
// deadline of a second. It returns that context after the request. It must run
// in a synctest bubble.
func inRequest(parent context.Context, fn func(ctx context.Context)) context.Context {
	var seen context.Context
	h := withDeadline(time.Second, func(_ http.ResponseWriter, r *http.Request) error {
		seen = r.Context()
		fn(seen)
		return nil
	})
	_ = h(httptest.NewRecorder(), httptest.NewRequestWithContext(parent, http.MethodGet, "/", http.NoBody))
	return seen
}

func TestDeadlineEndsARequestHoweverItIsWatched(t *testing.T) {
	t.Parallel()

	for name, watch := range map[string]func(ctx context.Context){
		"by Done": func(ctx context.Context) { <-ctx.Done() },
		"by Err":  func(context.Context) { time.Sleep(time.Second) },
		"by a child": func(ctx context.Context) {
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			<-child.Done()
		},
		"by Done, after Err": func(ctx context.Context) {
			time.Sleep(2 * time.Second)
			_ = ctx.Err()
			<-ctx.Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				inRequest(t.Context(), func(ctx context.Context) {
					if at, ok := ctx.Deadline(); !ok || at.Sub(began) != time.Second {
						t.Errorf("Deadline = %v, %v", at, ok)
					}
					time.Sleep(time.Second - 1)
					if err := ctx.Err(); err != nil {
						t.Errorf("before the deadline: %v", err)
					}
					watch(ctx)
					if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("after the deadline: %v", err)
					}
				})
			})
		})
	}
}

func TestClientThatGoesAwayEndsItsRequest(t *testing.T) {
	t.Parallel()

	for name, waits := range map[string]bool{"who waits": true, "who asks": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				parent, leave := context.WithCancel(context.WithValue(t.Context(), probeKey{}, "v"))
				inRequest(parent, func(ctx context.Context) {
					if waits {
						go leave()
						<-ctx.Done()
					} else {
						leave()
					}
					if err := ctx.Err(); !errors.Is(err, context.Canceled) {
						t.Errorf("Err = %v", err)
					}
					if ctx.Value(probeKey{}) != "v" {
						t.Error("the parent's values are lost")
					}
				})
			})
		})
	}
}

func TestWhyARequestEndedIsToldOnceAndForAll(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		parent, leave := context.WithCancel(t.Context())
		late := inRequest(parent, func(ctx context.Context) {
			time.Sleep(time.Second)
			if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("after the deadline: %v", err)
			}
		})
		gone := inRequest(parent, func(ctx context.Context) {
			leave()
			if err := ctx.Err(); !errors.Is(err, context.Canceled) {
				t.Errorf("after the client went away: %v", err)
			}
		})
		over := inRequest(t.Context(), func(context.Context) {})
		_ = over.Err()
		time.Sleep(2 * time.Second)
		<-over.Done()
		if late, gone, over := late.Err(), gone.Err(), over.Err(); !errors.Is(late, context.DeadlineExceeded) ||
			!errors.Is(gone, context.Canceled) || !errors.Is(over, context.Canceled) {
			t.Errorf("later: %v, %v, %v", late, gone, over)
		}
	})
}

// Goroutines that a handler left behind must not wait for a finished request.
func TestEndOfARequestEndsItsContext(t *testing.T) {
	t.Parallel()

	for name, waits := range map[string]bool{"made before": true, "made after": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				ctx := inRequest(t.Context(), func(ctx context.Context) {
					if waits {
						_ = ctx.Done()
					}
				})
				if err := ctx.Err(); !errors.Is(err, context.Canceled) {
					t.Errorf("Err = %v", err)
				}
				<-ctx.Done() // else synctest sees a deadlock
			})
		})
	}
}

func TestParentWithLessTimeWins(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		want, _ := parent.Deadline()
		inRequest(parent, func(ctx context.Context) {
			if at, _ := ctx.Deadline(); !at.Equal(want) {
				t.Errorf("Deadline = %v, want the parent's %v", at, want)
			}
			<-ctx.Done()
			if !time.Now().Equal(want) {
				t.Errorf("ended at %v", time.Now())
			}
		})
	})
}

// A context that package context does not recognize costs each child a
// goroutine.
func TestChildrenOfADeadlineNeedNoGoroutine(t *testing.T) {
	parent, leave := context.WithCancel(t.Context())
	defer leave()
	inRequest(parent, func(ctx context.Context) {
		before := runtime.NumGoroutine()
		for range 100 {
			_, cancel := context.WithCancel(ctx)
			defer cancel()
		}
		if n := runtime.NumGoroutine() - before; n > 50 {
			t.Errorf("100 children began %d goroutines", n)
		}
	})
}

// noLimit is an answer whose deadline for writing may not be set.
type noLimit struct {
	*httptest.ResponseRecorder

	t *testing.T
}

// SetWriteDeadline is the method that http.ResponseController looks for.
func (n noLimit) SetWriteDeadline(time.Time) error {
	n.t.Error("the answer has a deadline of its own")
	return nil
}

// A client that reads a long answer slowly gets all of it (package stall).
func TestAnAnswerMayTakeLongerThanItsRequest(t *testing.T) {
	t.Parallel()
	h := withDeadline(time.Second, func(w http.ResponseWriter, _ *http.Request) error {
		_, err := w.Write([]byte("hello"))
		return err
	})
	w := noLimit{httptest.NewRecorder(), t}
	if err := h(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)); err != nil {
		t.Error(err)
	}
}
