package gateway

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/extension/plugin"
	"stoa/internal/run"
)

// A call that runs when the license of its package lapses may go on for up to 30 s (contract 9.7). Calls to
// internal plugins end with their process, those to external ones here.
const (
	lapseLook  = 10 * time.Second // how often a lasting call looks
	lapseGrace = 2 * lapseLook    // how long it goes on after that
)

var errLapsed = errors.New("gateway: the license of the plugin has lapsed")

// handOver passes a call to a runtime, and ends it if it outlasts its license.
func (g *Gateway) handOver(rt run.Runtime, aw *answer, out *http.Request, in *plugin.Installed) error {
	if in.Package.License.State == "" || in.Package.Manifest.RuntimeType != plugin.External {
		return rt.Serve(aw, out, in)
	}
	ctx, end := context.WithCancelCause(out.Context())
	watch := background.NewWatch(cmp.Or(g.LapseLook, lapseLook), g.untilLapsed(ctx, in, end))
	defer watch.Stop()
	defer end(nil) // of a look, too
	err := rt.Serve(aw, out.WithContext(ctx), in)
	switch {
	case !errors.Is(context.Cause(ctx), errLapsed), aw.seen.status == http.StatusSwitchingProtocols:
		return err
	case aw.committed: // the client must not take a part for the whole
		panic(http.ErrAbortHandler)
	}
	return because(ErrNotFound, reasonUnlicensed)
}

// untilLapsed returns a look at the license of a call. The second one in a row that finds it lapsed ends
// the call.
func (g *Gateway) untilLapsed(
	ctx context.Context, in *plugin.Installed, end context.CancelCauseFunc,
) (look func() (next time.Duration)) {
	lapsed := false // at the last look
	return func() time.Duration {
		found, err := g.Plugins.ByID(ctx, in.Package.Manifest.Slug, in.Instance.ID)
		was := lapsed
		lapsed = err == nil && found.Package.License.LapsedAt(g.Now())
		switch {
		case lapsed && was:
			end(errLapsed)
			return 0
		case lapsed:
			return cmp.Or(g.LapseLook, lapseGrace)
		}
		return cmp.Or(g.LapseLook, lapseLook)
	}
}
