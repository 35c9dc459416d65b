package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"stoa/internal/caller"
	"stoa/internal/plugin"
	"stoa/internal/runtime"
	"stoa/internal/signing"
	"stoa/internal/trace"
)

// A plugin is healthy when GET /health answers 200. 404 will do: the platform answers in
// the place of a plugin that does not have that route (CONTRACT 5).
const (
	healthLimit = 10 * time.Second // until it must be healthy
	healthPause = 100 * time.Millisecond
)

// Probe asks the plugin of in, which rt runs, for its health until it is healthy, and
// returns the last answer if it does not become so. The request is signed like a call.
func (g *Gateway) Probe(ctx context.Context, rt runtime.Runtime, in plugin.Installed) plugin.Failure {
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	for {
		message := g.health(ctx, rt, in)
		if message == "" {
			return plugin.Failure{}
		}
		select {
		case <-ctx.Done():
			return plugin.Failure{At: g.Now(), Message: message}
		case <-time.After(healthPause):
		}
	}
}

// health returns why a plugin is not healthy, or nothing.
func (g *Gateway) health(ctx context.Context, rt runtime.Runtime, in plugin.Installed) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, healthPath, nil)
	if err != nil {
		return err.Error()
	}
	p := newPassage() // not released: what is sent may outlive the answer
	p.trace = trace.New()
	r = g.outgoing(p, r, healthPath, "")
	call := Call{Slug: in.Package.Manifest.Slug, Path: healthPath, Caller: CallerService}
	d, err := g.derive(in)
	if err != nil {
		return err.Error()
	}
	if err := g.setContext(ctx, p, in, d, caller.Caller{}, call); err != nil {
		return err.Error()
	}
	if err := g.sign(ctx, p, in.Package.Manifest, signing.BodyHash(nil)); err != nil {
		return err.Error()
	}
	answer := &probeAnswer{header: make(http.Header), status: http.StatusOK, keep: keptOfProbe}
	if err := rt.Serve(answer, r, in); err != nil {
		return "GET /health: " + err.Error()
	}
	if answer.status == http.StatusOK || answer.status == http.StatusNotFound {
		return ""
	}
	return fmt.Sprintf("GET /health answered %d: %s", answer.status, strings.ToValidUTF8(string(answer.body), ""))
}

// probeAnswer keeps the status and the beginning of an answer.
type probeAnswer struct {
	header http.Header
	status int
	body   []byte
	keep   int // bytes of the body
}

const keptOfProbe = 200 // bytes

func (a *probeAnswer) Header() http.Header { return a.header }

func (a *probeAnswer) WriteHeader(status int) {
	if status >= http.StatusOK {
		a.status = status
	}
}

func (a *probeAnswer) Write(b []byte) (int, error) {
	a.body = append(a.body, b[:min(len(b), a.keep-len(a.body))]...)
	return len(b), nil
}
