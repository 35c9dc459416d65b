package store

import (
	"context"
	"sync/atomic"
)

// generationChannel is the channel on which the triggers of plugin_generation announce a new
// generation.
const generationChannel = "stoa_plugin_generation"

// Generation implements plugin.Generations.
func (p *Plugin) Generation(ctx context.Context) (number int64, err error) {
	err = p.Read.QueryRowContext(p.Brief(ctx), `SELECT number FROM plugin_generation`).Scan(&number)
	return number, err
}

// OnChange implements plugin.Generations.
func (p *Plugin) OnChange(changed func()) { p.changes.callback.Store(&changed) }

// Listen implements plugin.Generations. SQLite sends no notifications: there it waits for ctx.
func (p *Plugin) Listen(ctx context.Context, notified func()) error {
	return p.changes.listen(ctx, generationChannel, notified)
}

// changes is the change notification that a Plugin shares with those of its transactions.
type changes struct {
	callback atomic.Pointer[func()] // nil until OnChange
	listen   func(ctx context.Context, channel string, notified func()) error
}

func (c *changes) notify() {
	if callback := c.callback.Load(); callback != nil {
		(*callback)()
	}
}
