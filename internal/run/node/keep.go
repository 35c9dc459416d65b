package node

import (
	"context"
	"log/slog"
	"maps"
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"stoa/internal/extension/plugin"
)

// keepEvery is how often KeepRunning looks for processes that should run, at least:
// see Refresh.
const keepEvery = 2 * time.Second

// KeepRunning starts the processes of the instances that list names, and starts
// them again when they ended, until ctx is done or the Runtime is closed. It paces
// itself: calls that wait for a process come first. Before it returns, it ends the
// processes that it kept, with a grace period for their running calls.
//
// Of all processes of stoa over one database only one may be in KeepRunning: a plugin
// finds STOA_KEPT=1 in the environment of the process that is kept, and in no other.
func (rt *Runtime) KeepRunning(ctx context.Context, list func(context.Context) ([]plugin.Installed, error)) {
	var keeping sync.WaitGroup
	defer func() {
		keeping.Wait()
		rt.endKept()
	}()
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
			keeping.Go(func() {
				defer func() { <-slots }()
				rt.keep(ctx, in)
			})
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
	p, _, err := s.claim(&in, true) //nolint:contextcheck // the process outlives the call
	if err != nil {
		return
	}
	select {
	case <-p.ready:
	case <-ctx.Done():
	}
	s.release(p)
}

// endKept ends the processes that were kept, and returns when they are gone.
func (rt *Runtime) endKept() {
	rt.mu.Lock()
	all := slices.Collect(maps.Values(rt.installations))
	rt.mu.Unlock()
	for _, s := range all { // no more are started
		s.mu.Lock()
		s.keeping = false
		s.mu.Unlock()
	}
	rt.mu.Lock()
	var kept []*process
	for p := range rt.processes {
		if p.kept {
			kept = append(kept, p)
		}
	}
	rt.mu.Unlock()
	for _, p := range kept {
		p.owner.endKept(p)
	}
	for _, p := range kept {
		<-p.done
	}
}

// endKept ends p at once: its running calls have the grace period of every process.
func (s *installation) endKept(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == p {
		s.retire()
	}
	p.askToEnd()
}

// lacks reports whether there is no kept process for in and one may be started.
func (s *installation) lacks(in plugin.Installed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.Revision().Replaces(s.revision) {
		return true
	}
	return (s.current == nil || !s.current.kept) && time.Until(s.failures.until) <= 0
}
