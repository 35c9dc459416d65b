package gateway

import (
	"bytes"
	"context"
	"net/http"

	"stoa/internal/base/reqctx"
	"stoa/internal/base/trace"
	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/trust/signing"
)

// Notice is a request of the platform's own to a plugin: a lifecycle hook or an event.
type Notice struct {
	In      plugin.Installed
	Secrets []string // that sign it
	Path    string   // the plugin's own
	Body    []byte   // JSON
	ID      string   // x-hook-id, the same for all attempts
	Attempt int      // x-hook-attempt, from 1
}

// Heard is what a plugin answered to a Notice.
type Heard struct {
	Status int // 0 if there was no answer in time
	Header http.Header
	Body   []byte // the beginning
}

// Tell sends a notice to the plugin that rt runs, signed like a call, and returns the
// answer with at most keep bytes of its body. The errors are those of the runtime.
func (g *Gateway) Tell(ctx context.Context, rt run.Runtime, n Notice, keep int) (heard Heard, err error) {
	ctx = reqctx.WithRequestID(ctx, reqctx.NewRequestID())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.Path, bytes.NewReader(n.Body))
	if err != nil {
		return Heard{}, err
	}
	p := newPassage() // not released: what is sent may outlive the answer
	if p.trace = trace.From(ctx); p.trace.IsZero() {
		p.trace = trace.New()
	}
	r = g.outgoing(p, r, n.Path, "")
	r.Header["Content-Type"] = []string{"application/json"}
	d, err := g.derive(&n.In)
	if err != nil {
		return Heard{}, err
	}
	m := &n.In.Package.Manifest
	call := Call{Slug: m.Slug, Path: n.Path, Caller: CallerService, hookID: n.ID, hookAttempt: n.Attempt}
	if err := g.setContext(ctx, p, &n.In, d, reqctx.Caller{}, call); err != nil {
		return Heard{}, err
	}
	// Not the package's own signer: it may have other secrets by now, or be gone.
	if err := g.signWith(signing.NewSigner(n.Secrets), p, m, signing.BodyHash(n.Body)); err != nil {
		return Heard{}, err
	}
	g.hop(ctx, p, &n.In)
	defer func() { endOwn(p.pluginSpan, heard.Status, err) }()
	answer := &probeAnswer{header: make(http.Header), keep: keep}
	defer func() {
		// An answer that breaks off has begun: its status stands.
		if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
			panic(p)
		}
		heard = Heard{Status: answer.status, Header: answer.header, Body: answer.body}
	}()
	return Heard{}, rt.Serve(answer, r, &n.In)
}
