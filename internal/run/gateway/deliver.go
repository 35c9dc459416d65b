package gateway

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/base/trace"
	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/trust/signing"
)

// Request is a request of the platform itself to a plugin: a lifecycle hook or an event.
type Request struct {
	In      plugin.Installed
	Secrets []string // that sign it
	Path    string   // the plugin's own
	Body    []byte   // JSON
	ID      string   // x-hook-id, the same for all attempts
	Attempt int      // x-hook-attempt, from 1

	// Life is that of a hook's own token, which works even where the installation is disabled or
	// uninstalled, with the permissions of In (contract 6.3). 0 for an event, which carries the
	// token of calls.
	Life time.Duration
}

// Response is a plugin's answer to a Request.
type Response struct {
	Status int // 0 if there was no answer in time
	Header http.Header
	Body   []byte // its beginning
	Broken bool   // the answer broke off after it began
}

// Deliver sends a request to the plugin that rt runs, signed like a call, and returns the
// answer with at most keep bytes of its body. The errors are those of the runtime.
func (g *Gateway) Deliver(ctx context.Context, rt run.Runtime, n Request, keep int) (res Response, err error) {
	ctx = reqctx.WithRequestID(ctx, reqctx.NewRequestID())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.Path, bytes.NewReader(n.Body))
	if err != nil {
		return Response{}, err
	}
	p := newPassage() // not released: a transport may go on sending it after the answer
	if p.trace = trace.From(ctx); p.trace.IsZero() {
		p.trace = trace.New()
	}
	r = g.outgoing(p, r, n.Path, "")
	r.Header["Content-Type"] = []string{"application/json"}
	d, err := deriveAlone(&n.In)
	if err != nil {
		return Response{}, err
	}
	m := &n.In.Package.Manifest
	call := Call{Slug: m.Slug, Path: n.Path, Caller: CallerService, hookID: n.ID, hookAttempt: n.Attempt}
	if n.Life > 0 {
		call.token, _, err = g.Tokens.IssuePluginToken(ctx, PluginToken{
			InstallationID: n.In.Instance.ID, OnChannel: g.onChannel(&n.In),
			Hook: n.ID, Permissions: usable(d.permissions), Life: n.Life,
		})
		if err != nil {
			return Response{}, fmt.Errorf("gateway: platform token of a hook: %w", err)
		}
	}
	if err := g.setContext(ctx, p, &n.In, d, reqctx.Caller{}, call); err != nil {
		return Response{}, err
	}
	// Not the package's cached signer: it may have other secrets by now, or be gone.
	if err := g.signWith(signing.NewSigner(n.Secrets), p, m, signing.BodyHash(n.Body)); err != nil {
		return Response{}, err
	}
	g.hop(ctx, p, &n.In)
	defer func() { endOwn(p.pluginSpan, res.Status, err) }()
	answer := &probeAnswer{header: make(http.Header), keep: keep}
	defer func() {
		p := recover()
		if p != nil && p != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
			panic(p)
		}
		res = Response{Status: answer.status, Header: answer.header, Body: answer.body, Broken: p != nil}
	}()
	return Response{}, rt.Serve(answer, r, &n.In)
}

// usable returns those of the permissions that the platform API asks for. The others would only
// make a token long.
func usable(permissions []string) []string {
	return slices.DeleteFunc(slices.Clone(permissions), func(p string) bool { return !plugin.OpensPlatform(p) })
}
