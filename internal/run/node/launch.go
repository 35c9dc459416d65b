package node

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/child"
	"stoa/internal/run/egress"
)

// processHeader carries the secret of a process in each request to it. The host
// program refuses requests without it, and removes it before a plugin sees the
// others (nodehost/src/gate.js).
const processHeader = "X-Stoa-Process"

// launch starts the host program for in, which calls the platform over channel. It completes spec, which has Log,
// Output and Report; what the host program reads is what instructions returns for the path of the entry module.
func (rt *Runtime) launch(
	in plugin.Installed, channel reqctx.Channel, spec child.Spec, instructions func(entry string) (io.Reader, error),
) (*child.Child, error) {
	h, err := rt.host.prepare()
	if err != nil {
		return nil, err
	}
	dir, entry, err := packageFiles(rt.cfg.DataDir, in.Package)
	if err != nil {
		return nil, &startError{reasonLoadFailed, err}
	}
	if spec.Input, err = instructions(entry); err != nil {
		return nil, err
	}
	if pipe, ok := spec.Input.(io.Closer); ok {
		defer pipe.Close() // the child has its own
	}
	spec.Dir, spec.Data = dir, filepath.Dir(h.shims)
	spec.Files, spec.Folders = []string{h.boot, h.script, h.cache}, []string{h.shims}
	spec.Args = []string{h.boot}
	spec.HeapMiB, spec.Stall, spec.WithoutFlags = rt.heapMiB(in), rt.cfg.Stall, rt.withoutFlags
	if gate := rt.cfg.Egress; gate != nil {
		spec.Network = func() *egress.Plan {
			plan, wrong := gate.Plan(in.Permissions())
			plan.Channel = channel
			for _, permission := range wrong {
				spec.Log.Warn("plugin permission allows nothing: it names no host, or one too many",
					slog.String("permission", permission))
			}
			return plan
		}
	}
	c, err := rt.cfg.Children.Start(rt.alive, spec)
	if errors.Is(err, child.ErrClosed) {
		return nil, errStopping
	}
	return c, err
}

// heapMiB returns the limit of the JavaScript heap of a process of in.
func (rt *Runtime) heapMiB(in plugin.Installed) int {
	return cmp.Or(in.Package.Settings.MemoryMb, rt.cfg.MemoryMiB)
}

// watch watches a ready child until it is gone. busy reports whether calls are running,
// and secret is one that the host program answers pings with.
func (rt *Runtime) watch(c *child.Child, secret string, busy func() bool) {
	c.Watch(child.Watch{
		Busy: busy, Clocks: rt.clocks,
		Ping: fmt.Sprintf("GET / HTTP/1.1\r\nHost: stoa\r\n%s: %s-ping\r\nConnection: close\r\n\r\n", processHeader,
			secret),
	})
}
