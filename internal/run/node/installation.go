package node

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/run/child"
)

// installation is one plugin instance and its process, if it has one. It lives until a
// while after the instance is deleted, or its package uninstalled (forgetSoon).
type installation struct {
	rt    *Runtime
	id    string
	trial bool // see Runtime.Try

	log      child.Journal  // of all its processes
	trialLog *child.Journal // where a trial keeps its log instead; nil for log

	mu        sync.Mutex
	current   *process         // starting or running
	revision  plugin.Revision  // of the last process that was started
	installed plugin.Installed // what it was started for
	failures  failures
	down      bool // the last process failed, and no other was started since
	keeping   bool // processes started by calls also stay alive when idle; see KeepRunning
	restarts  int
	stopped   time.Time // when the last process went out of use
	gone      time.Time // when the instance was first seen to be gone
	readyAt   time.Time // when the last process became ready
}

// acquire returns a process that is ready for a call of in. The caller releases it.
// It starts a process if none runs, or if the running one has an older config or
// package.
func (s *installation) acquire(ctx context.Context, in *plugin.Installed) (*process, error) {
	for {
		p, wait, err := s.claim(in, false) //nolint:contextcheck // a process outlives the call that starts it
		switch {
		case err != nil && wait > 0 && wait <= patience:
			select {
			case <-time.After(wait):
				continue
			case <-ctx.Done():
				return nil, err
			}
		case err != nil:
			return nil, err
		}
		if err := s.await(ctx, p); err != nil {
			s.release(p)
			return nil, err
		}
		return p, nil
	}
}

// claim counts a call on the process for in, and starts that process if needed. If
// the error comes with a wait, a process may be started after that time. With kept, a
// process that stays alive when idle replaces one that does not.
func (s *installation) claim(in *plugin.Installed, kept bool) (p *process, wait time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := in.Revision()
	if want.Replaces(s.revision) {
		s.retire()
		s.failures, s.down = failures{}, false
	}
	s.keeping = s.keeping || kept
	kept = s.keeping && in.Package.Settings.KeepRunning
	if kept && s.current != nil && !s.current.kept {
		s.retire()
	}
	if s.current == nil {
		if wait := time.Until(s.failures.until); wait > 0 {
			return nil, wait, s.failures.refusal(wait)
		}
		p := newProcess(s.rt, *in, s)
		p.kept = kept
		if !s.rt.begin(p) {
			return nil, 0, asCallError(errStopping)
		}
		switch {
		case !s.down:
		case s.failures.crashed():
			s.restarts++
		default:
			p.before = down(s.failures.reason, s.failures.cause)
		}
		s.revision, s.installed, s.current, s.down = want, *in, p, false
		go p.run()
	}
	s.current.calls++
	if s.current.idle != nil {
		s.current.idle.Stop()
	}
	return s.current, 0, nil
}

// await returns nil when p is ready. It returns an error when p failed to start,
// or takes longer than a call may wait. If the plugin failed to load before, the error
// is still that: nothing says that this start will end better.
func (s *installation) await(ctx context.Context, p *process) error {
	select {
	case <-p.ready: // the usual case needs no timer
		return p.startResult()
	default:
	}
	timer := time.NewTimer(s.rt.cfg.StartWait)
	defer timer.Stop()
	select {
	case <-p.ready:
		return p.startResult()
	case <-timer.C:
	case <-ctx.Done():
	}
	if p.before != nil {
		return p.before
	}
	return run.ErrStarting.After(time.Second).Because(ctx.Err())
}

// release ends a call on p.
func (s *installation) release(p *process) { s.releaseFor(p, s.rt.cfg.Idle) }

// releaseFor is release; if it was the first call, the process ends after idle unless there
// is another.
func (s *installation) releaseFor(p *process, idle time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.calls--
	switch {
	case p.calls > 0:
	case p.retired:
		p.askToEnd()
	case p.kept:
	case p.idle == nil:
		p.idle = time.AfterFunc(idle, func() { s.endIdle(p) })
	default:
		p.idle.Reset(s.rt.cfg.Idle)
	}
}

// busy reports whether calls of p are running.
func (s *installation) busy(p *process) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.calls > 0
}

// endIdle retires p unless it was called in the meantime.
func (s *installation) endIdle(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == p && p.calls == 0 {
		p.log.Info("plugin process ends: not used lately")
		s.retire()
	}
}

// retireOnly retires p unless another process has taken its place.
func (s *installation) retireOnly(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != p {
		return
	}
	p.log.Info("plugin process ends: its instance was changed, disabled or removed")
	s.retire()
	s.failures, s.down = failures{}, false
}

// becameReady records that a process can be called.
func (s *installation) becameReady(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readyAt = at
}

// ended records that p is gone. err is nil if it was asked to end.
func (s *installation) ended(p *process, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.idle != nil {
		p.idle.Stop()
	}
	if s.current != p {
		return // it was replaced: its failure no longer matters
	}
	s.current, s.stopped = nil, time.Now()
	if err == nil {
		return
	}
	now := time.Now()
	s.failures.add(err, now)
	s.down = true
	if s.trial {
		return // the caller of trial reports it
	}
	s.rt.reportFailure(p.in, failureOf(err, p.in, now))
	p.log.Error("plugin process failed", slog.String("reason", s.failures.reason), slog.Int("failures", s.failures.count),
		slog.Duration("retryIn", s.failures.until.Sub(now)), slog.Any("err", err))
}

// retire takes the current process, if any, out of use. It ends when its running
// calls are done, or when their time is up. The caller holds mu.
func (s *installation) retire() {
	p := s.current
	if p == nil {
		return
	}
	s.current, s.stopped, p.retired = nil, time.Now(), true
	if p.calls == 0 {
		p.askToEnd()
		return
	}
	time.AfterFunc(s.rt.cfg.Drain, p.askToEnd)
}

func (s *installation) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retire()
	s.failures, s.down = failures{}, false
}

func (s *installation) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{State: Stopped, Restarts: s.restarts, Since: s.stopped, ReadyAt: s.readyAt}
	if s.failures.cause != nil {
		st.LastError = s.failures.cause.Error()
		st.Failure = failureOf(s.failures.cause, s.installed, s.failures.since)
	}
	switch p := s.current; {
	case p != nil:
		st.State, st.PID, st.Since = p.status()
	case s.down:
		st.State, st.Since = Failed, s.failures.since
	}
	return st
}
