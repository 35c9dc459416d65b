package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit/logtest"
)

// fake is a Sender whose results are set by the test.
type fake struct {
	send func(ctx context.Context, m Message) error

	mu   sync.Mutex
	sent []string
}

func (f *fake) Send(ctx context.Context, m Message) error {
	err := f.send(ctx, m)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, m.To)
	return err
}

func (f *fake) times() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.sent)
}

func to(address string) Compose {
	return func(context.Context) (Message, bool, error) {
		return Message{To: address, Subject: "x", Text: "the secret"}, true, nil
	}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestQueueTriesThreeTimes(t *testing.T) {
	t.Parallel()

	down, refused := errors.New("down"), fmt.Errorf("no: %w", ErrPermanent)
	tests := []struct {
		name      string
		answers   []error
		wantTries int
		wantTook  time.Duration
		wantLog   string
	}{
		{"taken", []error{nil}, 1, 0, ""},
		{"taken at the second try", []error{down, nil}, 2, time.Second, "trying again"},
		{"taken at the third try", []error{down, down, nil}, 3, 6 * time.Second, "trying again"},
		{"never taken", []error{down, down, down, nil}, 3, 6 * time.Second, "mail not sent\" err=down"},
		{"refused for good", []error{refused, nil}, 1, 0, "refused for good"},
		{"not a mail", []error{ErrMessage, nil}, 1, 0, "cannot be put into a header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log logtest.Buffer
				f := &fake{}
				f.send = func(context.Context, Message) error { return tt.answers[f.times()] }
				q := NewQueue(f, log.Logger())
				start := time.Now()
				q.Post(t.Context(), to("ada@example.com"))
				q.Close(t.Context())
				if took := time.Since(start) - headStart; f.times() != tt.wantTries || took != tt.wantTook {
					t.Errorf("%d tries in %v, want %d in %v", f.times(), took, tt.wantTries, tt.wantTook)
				}
				if got := log.String(); !strings.Contains(got, tt.wantLog) || tt.wantLog == "" && got != "" ||
					strings.Contains(got, "secret") {
					t.Errorf("log = %q, want %q in it and nothing of the message", got, tt.wantLog)
				}
			})
		})
	}
}

func TestQueueLimitsEachTry(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		f := &fake{send: func(ctx context.Context, _ Message) error { <-ctx.Done(); return ctx.Err() }}
		q := NewQueue(f, quiet())
		start := time.Now()
		q.Post(t.Context(), to("ada@example.com"))
		q.Close(t.Context())
		if want := headStart + 3*10*time.Second + 6*time.Second; f.times() != 3 || time.Since(start) != want {
			t.Errorf("%d tries in %v, want 3 in %v", f.times(), time.Since(start), want)
		}
	})
}

// However slow the server is, Post does not wait and memory is bounded.
func TestQueueHoldsAThousandAndNoMore(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var log logtest.Buffer
		release := make(chan struct{})
		f := &fake{send: func(context.Context, Message) error { <-release; return nil }}
		q := NewQueue(f, log.Logger())
		start := time.Now()
		for range workers {
			q.Post(t.Context(), to("ada@example.com"))
		}
		synctest.Wait() // each worker has a message
		for range maxWaiting {
			q.Post(t.Context(), to("ada@example.com"))
		}
		if got := log.String(); got != "" {
			t.Errorf("dropped at the limit: %s", got)
		}
		q.Post(t.Context(), to("ada@example.com"))
		if got := strings.Count(log.String(), "mail dropped"); got != 1 {
			t.Errorf("%d dropped one beyond the limit, want 1", got)
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("posting took %v", took)
		}
		close(release)
		q.Close(t.Context())
		if got, want := f.times(), workers+maxWaiting; got != want {
			t.Errorf("%d sent, want %d", got, want)
		}
	})
}

func TestCloseSendsWhatIsWaiting(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		f := &fake{send: func(context.Context, Message) error { time.Sleep(time.Second); return nil }}
		q := NewQueue(f, quiet())
		for range 10 {
			q.Post(t.Context(), to("ada@example.com"))
		}
		q.Close(t.Context())
		q.Close(t.Context())
		if f.times() != 10 {
			t.Errorf("%d mails were sent, want all 10", f.times())
		}
		q.Post(t.Context(), to("late@example.com"))
		synctest.Wait()
		if f.times() != 10 {
			t.Error("a mail was sent after Close")
		}
	})
}

// A server that hangs must not keep stoa from stopping, nor leave a goroutine behind,
// for which the synctest bubble would fail.
func TestCloseGivesUpInTime(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var log logtest.Buffer
		f := &fake{send: func(ctx context.Context, _ Message) error { <-ctx.Done(); return ctx.Err() }}
		q := NewQueue(f, log.Logger())
		for range 10 {
			q.Post(t.Context(), to("ada@example.com"))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		q.Close(ctx)
		if took := time.Since(start); took != 3*time.Second || f.times() != workers ||
			!strings.Contains(log.String(), "lost=10") || strings.Contains(log.String(), "secret") {
			t.Errorf("closed after %v and %d tries, want 3 s and %d; log = %s", took, f.times(), workers, log.String())
		}
	})
}

func TestQueueComposesInTheBackground(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var log logtest.Buffer
		f := &fake{send: func(context.Context, Message) error { return nil }}
		q := NewQueue(f, log.Logger())
		gone, leave := context.WithCancel(t.Context())
		q.Post(gone, func(context.Context) (Message, bool, error) { return Message{}, false, nil })
		q.Post(gone, func(context.Context) (Message, bool, error) { return Message{}, true, errors.New("database away") })
		q.Post(gone, func(context.Context) (Message, bool, error) { panic("a bug") })
		q.Post(gone, func(ctx context.Context) (Message, bool, error) {
			<-gone.Done() // the request ends long before
			return Message{To: "ada@example.com", Subject: "x"}, true, ctx.Err()
		})
		leave()
		q.Close(t.Context())
		if diff := cmp.Diff([]string{"ada@example.com"}, f.sent); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		for _, want := range []string{"database away", "a bug"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("log = %q, want %q in it", log.String(), want)
			}
		}
	})
}

func TestLogWritesTheWholeMail(t *testing.T) {
	t.Parallel()

	var log logtest.Buffer
	if err := (Log{log.Logger()}).Send(t.Context(),
		Message{To: "ada@example.com", Subject: "Hello", Text: "https://shop.example.com/reset-password#abc\n"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"ada@example.com", "Hello", "https://shop.example.com/reset-password#abc",
		"no SMTP server is configured",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log = %q, want %q in it", log.String(), want)
		}
	}
}
