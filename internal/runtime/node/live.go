package node

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"stoa/internal/plugin"
)

// Live tells what may run. Instances are also changed on other replicas, which
// tell nobody.
type Live interface {
	// LiveInstances returns the present state of those instances that are enabled,
	// by id. The others are left out: the disabled, deleted and unknown, and those
	// of uninstalled packages.
	LiveInstances(ctx context.Context, ids []string) (map[string]plugin.Revision, error)
}

// liveTimeout bounds one question to Live.
const liveTimeout = 10 * time.Second

// watchLive retires what may not run any more, until nothing runs or the Runtime
// is closed. While Live cannot be asked, everything stays as it is.
func (rt *Runtime) watchLive() {
	tick := time.NewTicker(rt.cfg.LiveEvery)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-rt.alive.Done():
			return
		case <-tick.C:
		}
		running, ok := rt.stillRunning()
		if !ok {
			return
		}
		err := rt.retireOutdated(running)
		if (err != nil) != failing && rt.alive.Err() == nil {
			failing = err != nil
			if failing {
				rt.cfg.Log.Warn("plugins changed by other processes may keep running: the database cannot be asked which", slog.Any("err", err))
			}
		}
	}
}

// stillRunning returns the processes there are. If there are none, it returns
// false and the next one starts a new watch.
func (rt *Runtime) stillRunning() ([]*process, bool) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	rt.watching = len(rt.processes) > 0
	return slices.Collect(maps.Keys(rt.processes)), rt.watching
}

// retireOutdated asks once for all processes. One that started after the question
// is not judged by its answer.
func (rt *Runtime) retireOutdated(running []*process) error {
	ids := make([]string, 0, len(running))
	for _, p := range running {
		ids = append(ids, p.in.Instance.ID)
	}
	slices.Sort(ids)
	ctx, cancel := context.WithTimeout(rt.alive, liveTimeout)
	defer cancel()
	live, err := rt.cfg.Live.LiveInstances(ctx, slices.Compact(ids))
	if err != nil {
		return err
	}
	for _, p := range running {
		now, ok := live[p.in.Instance.ID]
		if !ok || now.Replaces(p.in.Revision()) {
			p.owner.retireOnly(p)
		}
	}
	return nil
}
