package node

import (
	"context"
	"maps"
	"slices"
	"time"
)

// forgetSoon makes the Runtime forget the installations that are no longer there: their logs, and
// the configs that their processes were started with. It does not wait, and nothing is forgotten
// for Config.ForgetAfter: after an instance is gone, its plugin is told (onUninstall), and its
// author reads the log of that.
func (rt *Runtime) forgetSoon() {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.cfg.Live == nil || rt.closed || len(rt.installations) == 0 {
		return
	}
	if rt.changed = true; !rt.forgetting {
		rt.forgetting = true
		rt.watcher.Go(rt.forget)
	}
}

// forget asks which installations are there, until all that are not are forgotten and the question
// was answered after the last change.
func (rt *Runtime) forget() {
	tick := time.NewTicker(max(rt.cfg.ForgetAfter/10, time.Millisecond))
	defer tick.Stop()
	for {
		rt.mu.Lock()
		rt.changed = false
		all := slices.Sorted(maps.Keys(rt.installations))
		rt.mu.Unlock()
		done := rt.forgetGone(all)
		rt.mu.Lock()
		if done && !rt.changed {
			rt.forgetting = false
			rt.mu.Unlock()
			return
		}
		rt.mu.Unlock()
		select {
		case <-tick.C:
		case <-rt.alive.Done():
			return
		}
	}
}

// forgetGone forgets those of the installations that are not there. It returns false if it has to be
// called again: Live fails, a process still runs, which watchLive is about to end, or it is too early.
func (rt *Runtime) forgetGone(all []string) (done bool) {
	ctx, cancel := context.WithTimeout(rt.alive, liveTimeout)
	defer cancel()
	there, err := rt.cfg.Live.KnownInstances(ctx, all)
	if err != nil {
		return false
	}
	done = true
	for _, id := range all {
		if !there[id] && !rt.drop(id) {
			done = false
		}
	}
	return done
}

// drop forgets an installation that is gone unless it has a process, or had one until a short time
// ago. A call that holds it already, and starts a process after that, brings it back (begin).
func (rt *Runtime) drop(id string) bool {
	rt.mu.Lock()
	s := rt.installations[id]
	rt.mu.Unlock()
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone.IsZero() {
		s.gone = time.Now()
	}
	last := s.gone
	if s.stopped.After(last) {
		last = s.stopped
	}
	if s.current != nil || time.Since(last) < rt.cfg.ForgetAfter {
		return false
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	delete(rt.installations, id)
	return true
}
