package themeapp

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/extension/theme"
)

// Source knows which apps there are. Other replicas change them too, so it is asked again
// and again.
type Source interface {
	// ActiveApps returns the apps that the targets show.
	ActiveApps(ctx context.Context) ([]theme.App, error)

	// LiveApps returns which of those apps may run, by theme.App.Key.
	LiveApps(ctx context.Context, apps []theme.App) (map[string]bool, error)
}

// lookTimeout bounds one look at the Source.
const lookTimeout = 10 * time.Second

// Follow keeps the active apps running, and ends those that were uninstalled or are not
// needed any more, until ctx is done. While source fails, all stay as they are.
func (rt *Runtime) Follow(ctx context.Context, source Source) {
	tick := time.NewTicker(rt.cfg.Every)
	defer tick.Stop()
	failing := false
	for {
		err := rt.look(ctx, source)
		if (err != nil) != failing && ctx.Err() == nil {
			failing = err != nil
			if failing {
				rt.cfg.Log.WarnContext(ctx, "theme apps stay as they are: the database cannot be asked which are active",
					slog.Any("err", err))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (rt *Runtime) look(ctx context.Context, source Source) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	wanted, err := source.ActiveApps(ctx)
	if err != nil {
		return err
	}
	active := make(map[string]bool, len(wanted))
	for _, a := range wanted {
		active[a.Key()] = true
	}
	rt.mu.Lock()
	rt.active = active
	rt.mu.Unlock()
	for _, a := range wanted {
		rt.app(a).keep()
	}
	var others []theme.App
	var running []*app
	for _, s := range rt.all() {
		if !active[s.of.Key()] {
			others, running = append(others, s.of), append(running, s)
		}
	}
	if len(others) == 0 {
		return nil
	}
	live, err := source.LiveApps(ctx, others)
	if err != nil {
		return err
	}
	for _, s := range running {
		if !live[s.of.Key()] || s.idle(rt.cfg.Idle) {
			rt.retire(s)
		}
	}
	return nil
}
