package node

import (
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/testkit/waittest"
)

// Whether a plugin starts is known before anybody calls it.
func TestStartTellsWithoutACall(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.Idle = 50 * time.Millisecond })
	until := func(in plugin.Installed, what string, holds func(plugin.RuntimeStatus) bool) {
		t.Helper()
		waittest.True(t, what, func() bool { return holds(f.RuntimeStatus(in.Instance.ID)) })
	}
	broken := f.install(t, "broken", files{"index.js": "module.exports = async () => {\n  throw new Error('no luck')\n}"})
	f.Start(broken)
	until(broken, "the failure", func(st plugin.RuntimeStatus) bool {
		return st.State == plugin.StateFailing && st.LastError.Message == "Error: no luck" && st.LastError.Line == 2
	})
	f.Start(broken) // too early: it failed just now, and nothing changed
	well := f.install(t, "well", withRoutes(pidRoute))
	f.Start(well)
	until(well, "an uncalled process that was ready and ended", func(st plugin.RuntimeStatus) bool {
		return st.State == plugin.StateIdle && !st.WellAt.IsZero() && st.LastError.IsZero()
	})
	if pid := f.get(t, well, "/api/pid"); pid == "" {
		t.Error("it cannot be called")
	}
	f.Start(well) // what runs goes on
	until(well, "its end", func(st plugin.RuntimeStatus) bool { return st.State == plugin.StateIdle })
}
