package app

import (
	"context"

	"stoa/internal/delivery"
	"stoa/internal/hook"
	"stoa/internal/store"
)

// How many receivers are served at the same time. Plugins that hang do not keep the
// others waiting for long: each attempt is limited, and the next is not soon.
const (
	pluginWorkers = 8
)

// buildDelivery makes what tells plugins of hooks and events.
func (a *App) buildDelivery(cfg Config) {
	a.hooks = &hook.Sender{
		Plugins: a.Plugins, Gateway: a.gateway, Internal: a.node, Discard: a.installer.Discard, Log: cfg.Log, Now: cfg.Now,
	}
	a.Hooks = &hook.Log{Deliveries: store.NewDeliveries(a.DB), Plugins: a.Plugins, Now: cfg.Now}
}

// deliver makes deliveries in the background until ctx ends.
func (a *App) deliver(ctx context.Context, cfg Config) {
	outbox := store.NewDeliveries(a.DB)
	spreader := &delivery.Spreader{
		Store: outbox, Subscribers: []delivery.Subscribers{a.Plugins},
		News: a.DB.Announced(store.NewEvents), Log: cfg.Log, Now: cfg.Now,
	}
	a.background.Go(func() { spreader.Run(ctx) })
	a.background.Go(func() { spreader.KeepSwept(ctx) })
	plugins := &delivery.Machine{
		Store: outbox, Lane: delivery.Plugins, Sender: a.hooks, Workers: pluginWorkers,
		News: a.DB.Announced(store.NewIn(delivery.Plugins)), Log: cfg.Log, Now: cfg.Now,
	}
	a.background.Go(func() {
		a.hooks.Clear(ctx) // what a crash left behind
		plugins.Run(ctx)
	})
}
