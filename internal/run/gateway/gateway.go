// Package gateway is the only way to a plugin. A request goes through fixed steps:
// check its path, find the instance, check its permissions, read and hash the body,
// replace the context headers, sign, hand over to the runtime. The steps are here,
// in order, so no runtime can skip one. A runtime does only the last.
//
// The gateway does not know how plugins run (package run), who is calling
// (package reqctx, filled in by package api/guard) or which URL a call came from (Call).
package gateway

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/trace"
	"stoa/internal/edge/bodies"
	"stoa/internal/extension/plugin"
	"stoa/internal/run"
)

// The answers of the gateway itself (contract 5.12). Serve adds details.slug, and details.reason for
// administrators.
var (
	// ErrNotFound is returned for every reason why an instance cannot be called, and
	// for every path that is not passed on, so a client cannot find out which
	// instances exist.
	ErrNotFound   = errs.New(errs.NotFound, "NOT_FOUND", "There is no such plugin, or it is not enabled.")
	ErrNotGranted = errs.New(errs.Forbidden, "PERMISSION_NOT_GRANTED",
		"This address needs a permission that the plugin was not granted by an administrator.")
	ErrTooLarge = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "The request body is larger than 10 MiB.")
)

// Secrets gives the keys that requests to a plugin are signed with.
type Secrets interface {
	// SigningSecrets returns a package's secrets: the current one, then the
	// previous while it still signs. The error is an errs.NotFound for an unknown
	// package.
	SigningSecrets(ctx context.Context, slug string) ([]string, error)
}

// Tokens issues the tokens with which plugins call the platform (contract 7.1).
type Tokens interface {
	// IssuePluginToken returns a token for an installation, and when it expires.
	IssuePluginToken(ctx context.Context, installationID string) (token string, expires time.Time, err error)

	// PluginTokenKey returns the id of the key that signs tokens now. Tokens of
	// another key are void if that key was withdrawn.
	PluginTokenKey(ctx context.Context) (string, error)
}

// Platform is what every plugin is told about this stoa.
type Platform struct {
	ID         string
	Version    string
	APIBaseURL string
	Locale     string // for clients that state none
}

// Gateway passes requests to plugin instances. All exported fields are required unless
// they say otherwise. It is safe for concurrent use.
type Gateway struct {
	Plugins  plugin.Finder
	Secrets  Secrets
	Tokens   Tokens
	Runtimes map[plugin.RuntimeType]run.Runtime
	Platform Platform
	Log      *slog.Logger
	Memory   *Memory
	Now      func() time.Time

	// Budget bounds the memory of the bodies of all requests. nil: no bound.
	Budget *bodies.Budget
	// LeastRate is how fast a body must arrive, in bytes per second. 0: at any rate.
	LeastRate int64
	// Status returns the status with which an error of that kind is answered.
	Status func(errs.Kind) int
	// Tracer records a span of each call and of the plugin's part of it. nil: of none.
	Tracer *trace.Tracer
	// Ended is told of each call of a client when it has ended. nil: nobody is.
	Ended func(r *http.Request, e Ended)
}

// Call is one request to a plugin, as taken from the URL.
type Call struct {
	Slug string
	// Path is the plugin's own path with a leading slash, escaped as the client
	// sent it. It is passed on byte for byte.
	Path string
	// Caller is the x-caller of the route: CallerShop or CallerAdmin, or CallerThemeApp
	// for a theme app on either. For a service it is CallerService on every route.
	Caller string
	// Admin tells that the route is for administrators only, who reach /admin/*.
	Admin bool
	// Forwarded is what the plugin is told of the client's connection.
	Forwarded Forwarded

	hookID      string // of a Notice
	hookAttempt int
}

// Forwarded is how a client reached stoa, as stoa found out by itself: nothing of
// it is a client's word. What is empty is not told.
type Forwarded struct {
	For   string // the client's address
	Proto string // http or https
	Host  string // that the client asked, with a port if it named one
}

// Values of x-caller (contract 5.5).
const (
	CallerShop     = "shop"
	CallerAdmin    = "admin"
	CallerThemeApp = "theme-app"
	CallerService  = "api-internal"
)

// Serve passes r, whose context carries the caller, to the plugin that c names. It
// returns errors of this package and of package run; then nothing was written.
// It panics with http.ErrAbortHandler if an answer breaks off.
func (g *Gateway) Serve(w http.ResponseWriter, r *http.Request, c Call) (err error) {
	p, broke := newPassage(), true
	p.began = time.Now()
	if p.trace = trace.From(r.Context()); p.trace.IsZero() {
		p.trace = trace.Of(r.Header)
	}
	if ctx, span := g.Tracer.Start(r.Context(), "gateway", trace.Internal); span.Recording() {
		p.span, r = span, r.WithContext(ctx)
	}
	defer func() {
		g.end(r, c, &p.sighting, err, broke)
		if !broke && (p.handed == 0 || p.answer.spent) {
			p.release()
		}
	}()
	err = explain(g.serve(w, r, c, p), c.Slug, reqctx.CallerFrom(r.Context()))
	broke = false
	return err
}

func (g *Gateway) serve(w http.ResponseWriter, r *http.Request, c Call, p *passage) error {
	ctx := r.Context()
	if !passable(c.Path, c.Admin) {
		return because(ErrNotFound, reasonPath)
	}
	choice, query := choose(r)
	in, err := g.find(ctx, c.Slug, choice)
	if err != nil {
		return err
	}
	d, err := g.derive(in)
	if err != nil {
		return err
	}
	p.traffic, p.installation, p.slug = d.traffic, in.Instance.ID, in.Package.Manifest.Slug
	if isServiceWorker(r) && !in.Package.Settings.AllowSameOrigin {
		return because(ErrNotFound, reasonPath)
	}
	m := &in.Package.Manifest
	if m.Events.Path != "" && reachesBelow(m.Events.Path, c.Path) {
		return because(ErrNotFound, reasonPath)
	}
	rt, ok := g.Runtimes[m.RuntimeType]
	if !ok {
		return because(run.ErrUnreachable,
			reasonNoRuntime).Because(fmt.Errorf("gateway: no runtime for %q", m.RuntimeType))
	}
	if !permitted(m.RoutePermissions, d.permissions, r.Method, c.Path) {
		return because(ErrNotGranted, reasonPermission)
	}
	if err := d.breaker.refusal(); err != nil { // before the body is read
		return err
	}
	out := g.outgoing(p, r, c.Path, query)
	reading := time.Since(p.began)
	body, err := g.readBody(w, r)
	if err != nil {
		return err
	}
	if body != noBody {
		p.body = time.Since(p.began) - reading
	}
	defer body.release()
	body.attach(out)

	if err := g.setContext(ctx, p, in, d, reqctx.CallerFrom(ctx), c); err != nil {
		return err
	}
	if err := g.sign(ctx, p, d, m, body.hash); err != nil {
		return err
	}
	// After the body: a client that sends slowly takes nobody's turn.
	leave, err := g.Memory.turns.take(ctx, in.Instance.ID, in.Package.Settings.MaxConcurrency)
	if err != nil {
		return err
	}
	defer leave()
	aw := &p.answer
	if aw.verdict, err = d.breaker.begin(); err != nil {
		return err
	}
	defer aw.verdict.settle(errNoVerdict) // of an answer that broke off, it is settled
	aw.init(w, r, body, g.Memory, &in.Package.Settings, &p.sighting)
	if isHealth(r.Method, c.Path) {
		aw.health = healthy{Status: "ok", Slug: m.Slug, Version: m.Version}
	}
	g.hop(ctx, p, in)
	p.handed = max(time.Since(p.began), 1) // 0 would let another call have p, whatever the runtime says
	err = body.explain(rt.Serve(aw, out, in))
	aw.verdict.settleBy(r, err)
	aw.finish()
	return err
}

// isServiceWorker reports whether a browser asks for the script of a service worker,
// which would act on pages of the shop from then on (contract 5.9). Browsers always say
// so, and no page can make them leave it out.
func isServiceWorker(r *http.Request) bool { return r.Header.Get("Service-Worker") != "" }

// choice says how a client named the instance. failed means that no instance can
// have that name.
type choice struct {
	id, key      string
	byID, failed bool
}

// find returns the instance that a call is for, or ErrNotFound, also if it is not
// enabled. If the client gave an id, no other instance takes its place.
func (g *Gateway) find(ctx context.Context, slug string, by choice) (in *plugin.Installed, err error) {
	switch {
	case by.failed:
		return nil, because(ErrNotFound, reasonInstanceID)
	case by.byID:
		in, err = g.Plugins.ByID(ctx, slug, by.id)
	default:
		in, err = g.Plugins.ByKey(ctx, slug, cmp.Or(by.key, plugin.DefaultInstance))
	}
	switch {
	case errs.KindOf(err) == errs.NotFound:
		return nil, because(ErrNotFound, reasonUnknown)
	case err != nil:
		return nil, err
	case !in.Instance.Enabled:
		return nil, because(ErrNotFound, reasonDisabled)
	}
	return in, nil
}

// outgoing makes the plugin's request, p.out, from the client's: those headers of the
// client that are for plugins, the plugin's own path, and the rest of the query.
func (g *Gateway) outgoing(p *passage, r *http.Request, path, query string) *http.Request {
	p.out, p.url = *r, url.URL{Path: path, RawQuery: query, ForceQuery: r.URL.ForceQuery}
	out := &p.out
	out.URL = &p.url
	if plain, err := url.PathUnescape(path); err == nil {
		out.URL.Path, out.URL.RawPath = plain, path
	}
	if out.URL.EscapedPath() != path {
		out.URL.Opaque = path // Go would escape bytes that the client did not
	}
	out.RequestURI = ""
	g.passOn(p.header, r.Header)
	out.Header = p.header
	out.Trailer = nil
	out.TransferEncoding = nil
	out.Form, out.PostForm, out.MultipartForm = nil, nil, nil
	return out
}

// hop begins the plugin's part of the trace, and tells the plugin that it belongs to it.
func (g *Gateway) hop(ctx context.Context, p *passage, in *plugin.Installed) {
	if next, span := g.Tracer.Start(ctx, "plugin", trace.Client); span.Recording() {
		span.Text("stoa.plugin.slug", in.Package.Manifest.Slug)
		span.Text("stoa.plugin.version", in.Package.Manifest.Version)
		span.Text("stoa.plugin.runtime", string(in.Package.Manifest.RuntimeType))
		span.Text("stoa.installation.id", in.Instance.ID)
		span.Text("http.request.method", trace.Method(p.out.Method))
		p.pluginSpan, p.trace = span, trace.From(next)
	}
	p.put(trace.Traceparent, p.trace.Traceparent())
	if state := p.trace.Tracestate(); state != "" {
		p.put(trace.Tracestate, state)
	}
}

func role(who reqctx.Caller) string {
	switch {
	case who.UserID == "":
		return "guest"
	case who.IsAdmin():
		return "admin"
	}
	return "customer"
}

func callerName(who reqctx.Caller, route string) string {
	if who.Service != "" {
		return CallerService
	}
	return route
}
