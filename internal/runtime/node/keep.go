package node

import (
	"context"
	"log/slog"
	goruntime "runtime"
	"time"

	"stoa/internal/plugin"
)

// keepEvery is how often KeepRunning looks for processes that should run, at least:
// see Refresh.
const keepEvery = 2 * time.Second

// KeepRunning starts the processes of the instances that list names, and starts
// them again when they ended, until ctx is done or the Runtime is closed. It paces
// itself: calls that wait for a process come first.
func (rt *Runtime) KeepRunning(ctx context.Context, list func(context.Context) ([]plugin.Installed, error)) {
	// Half of the starts that may go on at the same time, and half of the
	// processors: after a restart of stoa there may be hundreds to start.
	slots := make(chan struct{}, max(1, min(cap(rt.starting), goruntime.GOMAXPROCS(0))/2))
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		asking, cancel := context.WithTimeout(ctx, liveTimeout)
		wanted, err := list(asking)
		cancel()
		if err != nil && ctx.Err() == nil {
			rt.cfg.Log.WarnContext(ctx, "plugins that are to be kept running could not be looked up", slog.Any("err", err))
		}
		for _, in := range wanted {
			if !rt.installation(in.Instance.ID).lacks(in) {
				continue
			}
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			case <-rt.alive.Done():
				return
			}
			go func() {
				defer func() { <-slots }()
				rt.keep(ctx, in)
			}()
		}
		select {
		case <-tick.C:
		case <-rt.refreshKept:
		case <-ctx.Done():
			return
		case <-rt.alive.Done():
			return
		}
	}
}

// keep starts the process of in and returns when it is ready or has failed: then
// the log and the status of the installation say why.
func (rt *Runtime) keep(ctx context.Context, in plugin.Installed) {
	s := rt.installation(in.Instance.ID)
	p, _, err := s.claim(in) //nolint:contextcheck // the process outlives the call
	if err != nil {
		return
	}
	select {
	case <-p.ready:
	case <-ctx.Done():
	}
	s.release(p)
}

// lacks reports whether there is no process for in and one may be started.
func (s *installation) lacks(in plugin.Installed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.Revision().Replaces(s.revision) {
		return true
	}
	return s.current == nil && time.Until(s.failures.until) <= 0
}
