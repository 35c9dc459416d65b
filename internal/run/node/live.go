package node

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"stoa/internal/extension/plugin"
)

// Live knows which instances may run. Other replicas change instances, too: the caller of
// the Runtime calls Refresh when it learns of that, and the Runtime asks Live at intervals
// in any case.
type Live interface {
	// LiveInstances returns the revisions of those of the instances that are enabled,
	// by id. It leaves out disabled, deleted and unknown instances, and those of
	// uninstalled packages.
	LiveInstances(ctx context.Context, ids []string) (map[string]plugin.Revision, error)

	// KnownInstances returns those of the instances that are there, enabled or not. It
	// leaves out deleted and unknown instances, and those of uninstalled packages.
	KnownInstances(ctx context.Context, ids []string) (map[string]bool, error)
}

// liveTimeout bounds one call of Live.
const liveTimeout = 10 * time.Second

// watchLive retires the processes that may no longer run, until none is left to watch
// or the Runtime is closed. While Live fails, all processes stay.
func (rt *Runtime) watchLive() {
	tick := time.NewTicker(rt.cfg.LiveEvery)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-rt.alive.Done():
			return
		case <-tick.C:
		case <-rt.refreshLive:
		}
		running, ok := rt.stillRunning()
		if !ok {
			return
		}
		err := rt.retireOutdated(running)
		if (err != nil) != failing && rt.alive.Err() == nil {
			failing = err != nil
			if failing {
				rt.cfg.Log.Warn("plugins changed by other processes may keep running: the database cannot be asked which",
					slog.Any("err", err))
			}
		}
	}
}

// stillRunning returns all processes but those on trial, whose instances the
// database need not know yet. If there are none it returns false, and the next process
// starts a new watch.
func (rt *Runtime) stillRunning() ([]*process, bool) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	running := slices.Collect(maps.Keys(rt.processes))
	running = slices.DeleteFunc(running, func(p *process) bool { return p.owner.trial })
	rt.watching = len(running) > 0
	return running, rt.watching
}

// retireOutdated asks Live once about all the given processes. A process that
// started later is not affected by the answer.
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
