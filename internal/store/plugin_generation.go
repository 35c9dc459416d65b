package store

import (
	"context"
	"sync/atomic"
)

// generationChannel is where the triggers of plugin_generation tell of a new one.
const generationChannel = "stoa_plugin_generation"

// Generation implements plugin.Generations.
func (p *Plugin) Generation(ctx context.Context) (number int64, err error) {
	err = p.Read.QueryRowContext(p.Brief(ctx), `SELECT number FROM plugin_generation`).Scan(&number)
	return number, err
}

// OnChange implements plugin.Generations.
func (p *Plugin) OnChange(changed func()) { p.changes.told.Store(&changed) }

// Listen implements plugin.Generations. On SQLite nobody tells: there it waits for ctx.
func (p *Plugin) Listen(ctx context.Context, heard func()) error {
	return p.changes.listen(ctx, generationChannel, heard)
}

// changes is what a Plugin and those of its transactions share about changes.
type changes struct {
	told   atomic.Pointer[func()] // nil until somebody asks
	listen func(ctx context.Context, channel string, heard func()) error
}

func (c *changes) tell() {
	if told := c.told.Load(); told != nil {
		(*told)()
	}
}
