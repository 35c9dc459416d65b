package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"stoa/internal/base/redact"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/trace"
	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/trust/signing"
)

// A plugin is healthy when GET /health answers 200, or 404: the platform answers in place of a
// plugin without that route (contract 5.10).
const (
	healthLimit = 10 * time.Second // until it must be healthy
	healthPause = 100 * time.Millisecond
)

// Probe checks the health of the plugin of in, which rt runs, until it is healthy. If it does
// not become healthy in time, Probe returns the last failure; a check that the end of that time cut
// short counts only if it is the only one. The request is signed like a call.
func (g *Gateway) Probe(ctx context.Context, rt run.Runtime, in plugin.Installed) plugin.Failure {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(g.HealthLimit, healthLimit))
	defer cancel()
	for last := ""; ; {
		message := g.health(ctx, rt, &in)
		if message == "" {
			return plugin.Failure{}
		}
		if last == "" || ctx.Err() == nil {
			last = message
		}
		select {
		case <-ctx.Done():
			return plugin.Failure{At: g.Now(), Message: last}
		case <-time.After(healthPause):
		}
	}
}

// Health checks the health of the plugin of in, which rt runs, once, and returns why it is not
// healthy.
func (g *Gateway) Health(ctx context.Context, rt run.Runtime, in plugin.Installed) plugin.Failure {
	message := g.health(ctx, rt, &in)
	if message == "" {
		return plugin.Failure{}
	}
	return plugin.Failure{At: g.Now(), Message: message}
}

// health returns why a plugin is not healthy, or "". Administrators, the log and the database get this, and a plugin
// may answer with its config: the secrets are removed.
func (g *Gateway) health(ctx context.Context, rt run.Runtime, in *plugin.Installed) string {
	status, said := g.askHealth(ctx, rt, in)
	if said == "" && (status == http.StatusOK || status == http.StatusNotFound) {
		return ""
	}
	said = redact.Secrets(in.SecretTexts())(said) // before it is cut: half a secret would not be found
	if status == 0 {
		return said
	}
	return fmt.Sprintf("GET /health answered %d: %s", status, strings.ToValidUTF8(said[:min(len(said), shownOfProbe)], ""))
}

// askHealth returns what a plugin answers to GET /health: a status, with the beginning of the body unless the plugin is
// healthy; or no status, and why there is no answer.
func (g *Gateway) askHealth(ctx context.Context, rt run.Runtime, in *plugin.Installed) (status int, said string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, healthPath, nil)
	if err != nil {
		return 0, err.Error()
	}
	p := newPassage() // not released: a transport may go on sending it after the answer
	p.trace = trace.New()
	r = g.outgoing(p, r, healthPath, "")
	call := Call{Slug: in.Package.Manifest.Slug, Path: healthPath, Caller: CallerService}
	d, err := g.derive(in)
	if err != nil {
		return 0, err.Error()
	}
	if err := g.setContext(ctx, p, in, d, reqctx.Caller{}, call); err != nil {
		return 0, err.Error()
	}
	if err := g.sign(ctx, p, d, &in.Package.Manifest, signing.BodyHash(nil)); err != nil {
		return 0, err.Error()
	}
	g.hop(ctx, p, in)
	answer := &probeAnswer{header: make(http.Header), status: http.StatusOK, keep: drainedOfProbe}
	err = serveWhole(rt, answer, r, in)
	endOwn(p.pluginSpan, answer.status, err)
	if err != nil {
		return 0, "GET /health: " + err.Error()
	}
	if err := ctx.Err(); err != nil {
		return 0, "GET /health: the answer did not end in time"
	}
	if answer.status == http.StatusOK || answer.status == http.StatusNotFound {
		return answer.status, ""
	}
	return answer.status, string(answer.body)
}

// serveWhole is rt.Serve for requests of stoa itself: an answer that breaks off is an error,
// not a panic.
func serveWhole(rt run.Runtime, w http.ResponseWriter, r *http.Request, in *plugin.Installed) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler { //nolint:errorlint // panics carry the value itself
				panic(p)
			}
			err = errBrokenOff
		}
	}()
	return rt.Serve(w, r, in)
}

var errBrokenOff = errors.New("the answer broke off")

// probeAnswer keeps the status and the beginning of an answer.
type probeAnswer struct {
	header http.Header
	status int
	body   []byte
	keep   int // bytes of the body
	read   int
}

const (
	shownOfProbe = 200 // bytes

	// drainedOfProbe is how many bytes of an answer are read, so that its connection can be
	// reused. A plugin that sends without end is cut off.
	drainedOfProbe = 64 << 10
)

func (a *probeAnswer) Header() http.Header { return a.header }

func (a *probeAnswer) WriteHeader(status int) {
	if status >= http.StatusOK {
		a.status = status
	}
}

func (a *probeAnswer) Write(b []byte) (int, error) {
	a.body = append(a.body, b[:min(len(b), a.keep-len(a.body))]...)
	if a.read += len(b); a.read > max(a.keep, drainedOfProbe) {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

// FlushError does nothing. Without it, package relay would take a failed flush for a client
// that left.
func (*probeAnswer) FlushError() error { return nil }
