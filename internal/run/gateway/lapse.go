package gateway

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

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
	defer end(nil)
	w := &lapseWatch{g: g, ctx: ctx, end: end, in: in}
	w.start()
	defer w.stop()
	err := rt.Serve(aw, out.WithContext(ctx), in)
	switch {
	case !errors.Is(context.Cause(ctx), errLapsed), aw.seen.status == http.StatusSwitchingProtocols:
		return err
	case aw.committed: // the client must not take a part for the whole
		panic(http.ErrAbortHandler)
	}
	return because(ErrNotFound, reasonUnlicensed)
}

// lapseWatch watches over one call.
type lapseWatch struct {
	g   *Gateway
	ctx context.Context //nolint:containedctx // the call's own
	end context.CancelCauseFunc
	in  *plugin.Installed

	mu     sync.Mutex
	timer  *time.Timer
	lapsed bool // at the last look
	over   bool
}

func (w *lapseWatch) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(cmp.Or(w.g.LapseLook, lapseLook), w.check)
}

// stop returns when no look is running.
func (w *lapseWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.timer.Stop()
}

func (w *lapseWatch) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	in, err := w.g.Plugins.ByID(w.ctx, w.in.Package.Manifest.Slug, w.in.Instance.ID)
	is := err == nil && in.Package.License.LapsedAt(w.g.Now())
	if is && w.lapsed {
		w.end(errLapsed)
		return
	}
	next := lapseLook
	if w.lapsed = is; is {
		next = lapseGrace
	}
	w.timer.Reset(cmp.Or(w.g.LapseLook, next))
}
