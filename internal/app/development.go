package app

import (
	"context"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/extension/plugin"
	"stoa/internal/message/delivery"
	"stoa/internal/store"
)

// Development is what the author of a plugin sees of a stoa that runs it. All fields are required.
type Development struct {
	// Files returns an instance with the files that it runs from now: those of the last copy of the
	// author's folder, of which the database need not know.
	Files func(plugin.Installed) plugin.Installed

	// Published is called for events that were recorded, before they are delivered.
	Published func([]event.Event)
	// Delivered is called for attempts to deliver hooks and events, after their results are recorded.
	Delivered func([]delivery.Settled)
}

// Subscribed implements delivery.Subscribers for a reader of all events, who gets no delivery.
func (d *Development) Subscribed(_ context.Context, list []event.Event) ([]delivery.Delivery, error) {
	d.Published(list)
	return nil, nil
}

// files returns the Files of the configuration; nil for none.
func (cfg Config) files() func(plugin.Installed) plugin.Installed {
	if cfg.Development == nil {
		return nil
	}
	return cfg.Development.Files
}

// developed finds instances as they are recorded, with the files that they run from now.
type developed struct {
	plugin.Finder

	files func(plugin.Installed) plugin.Installed
}

// ByID implements plugin.Finder.
func (f developed) ByID(ctx context.Context, slug, id string) (*plugin.Installed, error) {
	return f.changed(f.Finder.ByID(ctx, slug, id))
}

// ByKey implements plugin.Finder.
func (f developed) ByKey(ctx context.Context, slug, key string) (*plugin.Installed, error) {
	return f.changed(f.Finder.ByKey(ctx, slug, key))
}

func (f developed) changed(in *plugin.Installed, err error) (*plugin.Installed, error) {
	if err != nil {
		return nil, err
	}
	now := f.files(*in)
	return &now, nil
}

// developedProcesses starts instances with the files that they run from now.
type developedProcesses struct {
	plugin.Processes

	files func(plugin.Installed) plugin.Installed
}

// Start implements plugin.Processes.
func (p developedProcesses) Start(in plugin.Installed) { p.Processes.Start(p.files(in)) }

// Idle reports whether no event waits to be spread and no hook or event is due at now.
func (a *App) Idle(ctx context.Context, now time.Time) (bool, error) {
	return store.NewDeliveries(a.DB).Idle(ctx, now)
}
