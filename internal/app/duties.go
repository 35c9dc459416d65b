package app

import (
	"context"
	"time"

	"stoa/internal/data/duty"
	"stoa/internal/extension/plugin"
	"stoa/internal/store"
)

// Whose duty it is to keep plugins running changes within half a minute after the process
// that had it was killed. Processes of plugins take up to ten seconds to end.
const (
	keptHold  = 24 * time.Second
	keptStop  = 12 * time.Second
	keptEvery = 4 * time.Second
)

// keepPluginsRunning keeps the plugins running that are to run without being called, while
// no other process over the database does.
func (a *App) keepPluginsRunning(ctx context.Context, cfg Config) {
	d := &duty.Duty{
		Name: "kept plugins", Store: store.NewDuties(a.DB), Log: cfg.Log, Hold: keptHold, Stop: keptStop, Every: keptEvery,
	}
	d.Keep(ctx, func(ctx context.Context) {
		ctx, leave := context.WithCancel(ctx)
		defer leave()
		a.node.KeepRunning(ctx, func(ctx context.Context) ([]plugin.Installed, error) {
			list, err := a.Plugins.KeptRunning(ctx)
			if err != nil || len(list) == 0 {
				return nil, err
			}
			if err := a.node.Check(); err != nil { //nolint:contextcheck // looks for Node.js with a limit of its own
				leave() // another process may have Node.js
				return nil, err
			}
			return list, nil
		})
	})
}
