package themeapp

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension/theme"
)

// delays are how long a process is not started again, by the number of failures in a row.
// The last one repeats.
var delays = []time.Duration{
	200 * time.Millisecond, time.Second, 5 * time.Second, 15 * time.Second, time.Minute,
}

// settled is how long a process has to run so that earlier failures no longer count.
const settled = 10 * time.Minute

var (
	errStopping = errors.New("stoa is stopping")

	// errRetired says that an app is no longer in use: another one takes its calls.
	errRetired = errors.New("retired")
)

// app runs one version of a theme app with one config, from its first call on.
type app struct {
	rt  *Runtime
	of  theme.App
	log *slog.Logger // names the app

	mu       sync.Mutex
	current  *process // starting or running; nil if none is
	calls    int      // running
	called   time.Time
	retired  bool
	drained  chan struct{} // closed when it is retired and no call runs
	failures int           // in a row
	until    time.Time     // before that no process is started
	cause    error         // of the last failure
}

func newApp(rt *Runtime, a theme.App) *app {
	m := a.Version.Manifest
	return &app{
		rt: rt, of: a, called: time.Now(), drained: make(chan struct{}),
		log: rt.cfg.Log.With(slog.String("themeApp", a.Theme()), slog.String("version", m.Version)),
	}
}

// acquire returns a process that listens, which it starts if there is none. It waits for
// that, but no longer than wait. The caller releases s unless there is an error, which may
// be errRetired.
func (s *app) acquire(ctx context.Context, wait time.Duration) (*process, error) {
	p, err := s.claim()
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-p.started:
		err = p.startErr
		if err != nil {
			err = unreachable(err)
		}
	case <-timer.C:
		err = ErrStarting.After(time.Second)
	case <-ctx.Done():
		err = ErrStarting.After(time.Second).Because(ctx.Err())
	}
	if err != nil {
		s.release()
		return nil, err
	}
	return p, nil
}

// unreachable returns ErrUnreachable with its cause. Storage that does not work says itself what
// to do.
func unreachable(cause error) error {
	if errs.KindOf(cause) == errs.Busy {
		return cause
	}
	return ErrUnreachable.Because(cause)
}

// claim counts a call, and starts a process if there is none.
func (s *app) claim() (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.retired {
		return nil, errRetired
	}
	if s.current == nil {
		if time.Until(s.until) > 0 {
			return nil, unreachable(s.cause)
		}
		p := newProcess(s)
		if !s.rt.begin(p.run) {
			return nil, ErrUnreachable.Because(errStopping)
		}
		s.current = p
	}
	s.calls++
	s.called = time.Now()
	return s.current, nil
}

// release ends a call.
func (s *app) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls--
	if s.retired && s.calls == 0 {
		close(s.drained)
	}
}

// busy reports whether calls are running.
func (s *app) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls > 0
}

// forgive forgets failures.
func (s *app) forgive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.until, s.cause = 0, time.Time{}, nil
}

// keep starts a process if there is none and one may be started.
func (s *app) keep() {
	if _, err := s.claim(); err == nil {
		s.release()
	}
}

// idle reports whether no call has begun for the given time, though calls that began
// before may still run.
func (s *app) idle(since time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.called) >= since
}

func (s *app) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.retired {
		return
	}
	s.retired = true
	if s.calls == 0 {
		close(s.drained)
	}
	if s.current != nil {
		close(s.current.ending)
	}
}

// ended records that p is gone: err says why, or is nil if it was asked to end.
func (s *app) ended(p *process, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = nil
	if err == nil {
		return
	}
	if !p.since.IsZero() && time.Since(p.since) >= settled {
		s.failures = 0
	}
	delay := delays[min(s.failures, len(delays)-1)]
	s.failures++
	s.until, s.cause = time.Now().Add(delay), err
	s.log.Error("theme app failed", slog.Int("failures", s.failures), slog.Duration("retryIn", delay),
		slog.Any("err", err))
}
