package outage

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"stoa/internal/base/errs"
)

// repeatAfter is how long after it was logged a cause is logged again.
const repeatAfter = time.Minute

// Watch sees all outages that a process meets, because all are logged and every line passes its log
// handler. It logs each cause at most once a minute, and lowers the info and warn lines about single
// failures to debug. It is safe for concurrent use.
type Watch struct {
	// Now is the time of outages. Tests replace it.
	Now func() time.Time
	// Settled is how long after the last failure a write that succeeds counts as working again: on a full disk, small
	// writes succeed for a while between larger ones that fail. NewWatch sets ten seconds.
	Settled time.Duration

	mu     sync.Mutex
	causes map[string]*sighting // by the code of the answer
}

// NewWatch returns a Watch that has met nothing.
func NewWatch() *Watch {
	return &Watch{Now: time.Now, Settled: 10 * time.Second, causes: make(map[string]*sighting)}
}

// sighting is a cause that was met.
type sighting struct {
	since, last time.Time // since is zero while writing works, and without descriptors
	logged      time.Time
	err         error // the last one
}

// causes are the lines of the log, by code.
var causes = map[string]string{
	ErrStorageFull.Code: "a disk is full or read-only: what needs to be stored is refused with 503 STORAGE_FULL until " +
		"there is room",
	ErrDatabase.Code: "the database is away, read-only or out of connections: what needs it is refused with " +
		"503 DATABASE_UNAVAILABLE until it is back",
	ErrBusy.Code: "no file descriptor is left: requests are refused with 503 BUSY; raise the limit of open files " +
		"(LimitNOFILE, ulimit -n)",
}

// whatFails is what a Watch says of a cause to administrators.
var whatFails = map[string]string{
	ErrStorageFull.Code: "a disk is full or read-only, make room on it",
	ErrDatabase.Code:    "the database is away, read-only or out of connections",
}

// Handler returns a handler in front of next. A line at info or warn whose attribute err is an outage
// becomes a line at debug, because there is one for each request; errors stay as they are.
func (w *Watch) Handler(next slog.Handler) slog.Handler { return &watching{next, w} }

// Failing returns why some or all writes fail now, or nil if none is known to fail.
func (w *Watch) Failing() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var last *sighting
	what := ""
	for code, s := range w.causes {
		if !s.since.IsZero() && (last == nil || s.last.After(last.last)) {
			last, what = s, whatFails[code]
		}
	}
	if last == nil {
		return nil
	}
	return fmt.Errorf("%s (%w)", what, last.err)
}

// Since returns when writing began to fail; zero while it works.
func (w *Watch) Since() (first time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.causes {
		if !s.since.IsZero() && (first.IsZero() || s.since.Before(first)) {
			first = s.since
		}
	}
	return first
}

// Wrote reports to w that something was written to the database. It reports whether writing works again
// after it had failed.
func (w *Watch) Wrote() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, failed, fails := w.Now(), false, false
	for _, s := range w.causes {
		if s.since.IsZero() {
			continue
		}
		failed = true
		if now.Sub(s.last) < w.Settled {
			fails = true
			continue
		}
		s.since = time.Time{}
	}
	return failed && !fails
}

// met records an outage, and reports whether its cause has to be logged.
func (w *Watch) met(e *errs.Error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.Now()
	s := w.causes[e.Code]
	if s == nil {
		s = new(sighting)
		w.causes[e.Code] = s
	}
	if s.since.IsZero() && e.Code != ErrBusy.Code {
		s.since = now
	}
	s.last, s.err = now, e.Err
	if !s.logged.IsZero() && now.Sub(s.logged) < repeatAfter {
		return false
	}
	s.logged = now
	return true
}

// watching is the handler in front of another.
type watching struct {
	next  slog.Handler
	watch *Watch
}

// Enabled implements slog.Handler. What may be an outage is looked at whatever the level of the log.
func (h *watching) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *watching) Handle(ctx context.Context, r slog.Record) error {
	if e, is := outageOf(r); is {
		if h.watch.met(e) {
			h.logCause(ctx, e)
		}
		if r.Level < slog.LevelError {
			r.Level = slog.LevelDebug
		}
	}
	if !h.next.Enabled(ctx, r.Level) {
		return nil
	}
	return h.next.Handle(ctx, r)
}

// logCause logs a cause.
func (h *watching) logCause(ctx context.Context, e *errs.Error) {
	if !h.next.Enabled(ctx, slog.LevelError) {
		return
	}
	line := slog.NewRecord(time.Now(), slog.LevelError, causes[e.Code], 0)
	line.AddAttrs(slog.Any("err", e.Err))
	_ = h.next.Handle(context.WithoutCancel(ctx), line) // a log that fails has no other place
}

// outageOf returns the outage that a line is about.
func outageOf(r slog.Record) (e *errs.Error, is bool) {
	if r.Level < slog.LevelInfo {
		return nil, false
	}
	r.Attrs(func(a slog.Attr) bool {
		if err, ok := a.Value.Any().(error); ok && a.Key == "err" {
			e, is = Answer(err)
		}
		return !is
	})
	return e, is
}

// WithAttrs implements slog.Handler.
func (h *watching) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &watching{h.next.WithAttrs(attrs), h.watch}
}

// WithGroup implements slog.Handler.
func (h *watching) WithGroup(name string) slog.Handler {
	return &watching{h.next.WithGroup(name), h.watch}
}
