// Package gateway is the only way to a plugin. A request goes through fixed steps: check its
// path, find the instance, check its permissions, read and hash the body, replace the context
// headers, sign, hand over to the runtime. All steps are here, in order, so that no runtime can
// skip one; a runtime does only what follows the last.
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
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/trace"
	"stoa/internal/edge/bodies"
	"stoa/internal/extension/plugin"
	"stoa/internal/run"
)

// The gateway's own errors (contract 5.12). Serve adds details.slug, and details.reason for
// administrators.
var (
	// ErrNotFound is returned for every reason why an instance cannot be called, and for
	// every refused path, so that a client cannot find out which instances exist.
	ErrNotFound   = errs.New(errs.NotFound, "NOT_FOUND", "There is no such plugin, or it is not enabled.")
	ErrNotGranted = errs.New(errs.Forbidden, "PERMISSION_NOT_GRANTED",
		"This address needs a permission that the plugin was not granted by an administrator.")
	ErrTooLarge = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "The request body is larger than 10 MiB.")
)

// Secrets returns the secrets with which requests to a plugin are signed.
type Secrets interface {
	// SigningSecrets returns a package's secrets: the current one, then the previous one while
	// it is still valid. The error is an errs.NotFound for an unknown package.
	SigningSecrets(ctx context.Context, slug string) ([]string, error)
}

// PluginToken says what a plugin's token allows. The fields are those of account.PluginToken.
type PluginToken struct {
	InstallationID string
	Enabling       int64 // of the installation
	OnChannel      bool  // whether it works on the installation's own channel, or else on the public listener

	// Of the token of a call by staff who act as a user: the user, and who acts.
	UserID, Actor string

	// Of a hook's token: the delivery, what the installation may do with it, and for how long.
	Hook        string
	Permissions []string
	Life        time.Duration
}

// Tokens issues the tokens with which plugins call the platform (contract 7.1).
type Tokens interface {
	// IssuePluginToken returns a token, and when it expires.
	IssuePluginToken(ctx context.Context, t PluginToken) (token string, expires time.Time, err error)

	// PluginTokenKey returns the id of the current signing key. Tokens that another key
	// signed are void if that key was withdrawn.
	PluginTokenKey(ctx context.Context) (string, error)
}

// Platform describes this stoa to every plugin.
type Platform struct {
	ID         string
	Version    string
	APIBaseURL string
	Locale     string // for clients that send none
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

	// HealthLimit is how long Probe waits for a plugin to get healthy. 0: ten seconds.
	HealthLimit time.Duration
	// Budget bounds the memory of the bodies of all requests. nil: no bound.
	Budget *bodies.Budget
	// LeastRate is how fast a body must arrive, in bytes per second. 0: no minimum.
	LeastRate int64
	// HasChannel reports whether the processes of internal plugins have a channel to stoa of their
	// own. nil: they have none.
	HasChannel func() bool
	// Status returns the HTTP status for errors of a kind.
	Status func(errs.Kind) int
	// Tracer records a span for each call and one for the plugin's part of it. nil: no spans.
	Tracer *trace.Tracer
	// LapseLook is the interval between checks of the license of a lasting call. A call may go on for as long after it
	// lapsed. 0: 10 s, and 20 s.
	LapseLook time.Duration
	// Ended is called when a client's call has ended. It may be nil.
	Ended func(r *http.Request, e Ended)
}

// Call is one request to a plugin, as taken from the URL.
type Call struct {
	Slug string
	// Path is the plugin's own path with a leading slash, escaped as the client
	// sent it. It is passed on byte for byte.
	Path string
	// Base is the client's path before Path, as sent. Cookies of the plugin belong below it.
	Base string
	// Caller is the x-caller of the route: CallerShop or CallerAdmin, or CallerThemeApp for
	// a theme app on either. Calls of a service are sent with CallerService on every route.
	Caller string
	// Admin is true for routes of administrators, who alone reach the plugin's /admin/*.
	Admin bool
	// Forwarded describes the client's connection to the plugin.
	Forwarded Forwarded

	hookID      string // of a Request
	hookAttempt int
	token       string // instead of the installation's; empty for that
}

// Forwarded is how the client reached stoa, as stoa itself determined it. None of it comes from
// client headers that stoa does not trust. Empty fields are not sent.
type Forwarded struct {
	For   string // the client's address
	Proto string // http or https
	Host  string // the host that the client asked for, with the port if it sent one
}

// Values of x-caller (contract 5.5).
const (
	CallerShop     = "shop"
	CallerAdmin    = "admin"
	CallerThemeApp = "theme-app"
	CallerService  = "api-internal"
)

// Serve passes r, whose context carries the caller, to the plugin that c names. If it returns
// an error, of this package or of package run, nothing was written. It panics with
// http.ErrAbortHandler if an answer breaks off.
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
	if err := checkHead(r, c); err != nil {
		return err
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
	p.passCredentials(r.Header, in, d, reqctx.CallerFrom(ctx), c)
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
	// After the body: a client that sends slowly must not take another call's turn.
	leave, err := g.Memory.turns.take(ctx, in.Instance.ID, in.Package.Settings.MaxConcurrency)
	if err != nil {
		return err
	}
	defer leave()
	aw := &p.answer
	if aw.verdict, err = d.breaker.begin(); err != nil {
		return err
	}
	defer aw.verdict.settle(errNoVerdict) // no effect if an answer began
	aw.init(w, r, body, &in.Package.Settings, &p.sighting)
	if keepsCookies(&in.Package.Settings, reqctx.CallerFrom(ctx)) {
		aw.cookies = cookieScope{d.cookieTag, c.Base, c.Path}
	}
	if isHealth(r.Method, c.Path) {
		aw.health = healthy{Status: "ok", Slug: m.Slug, Version: m.Version}
	}
	g.hop(ctx, p, in)
	p.handed = max(time.Since(p.began), 1) // 0 would release p even if the runtime still uses it
	err = body.explain(g.handOver(rt, aw, out, in))
	aw.verdict.settleBy(r, err)
	aw.finish()
	return err
}

// isServiceWorker reports whether a browser requests the script of a service worker, which
// would control pages of the shop from then on (contract 5.9). Browsers always send this
// header, and no page can make them omit it.
func isServiceWorker(r *http.Request) bool { return r.Header.Get("Service-Worker") != "" }

// choice is the id or key by which a client chose an instance. failed means that no instance
// can match.
type choice struct {
	id, key      string
	byID, failed bool
}

// find returns the instance that a call is for. It returns ErrNotFound if there is none, it is
// disabled, or its license has lapsed. If the client gave an id, no other instance takes its place.
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
	case in.Package.License.State != "" && in.Package.License.LapsedAt(g.Now()):
		return nil, because(ErrNotFound, reasonUnlicensed)
	}
	return in, nil
}

// outgoing makes the plugin's request, p.out, from the client's: the headers that are passed
// on, the plugin's own path, and the rest of the query.
func (g *Gateway) outgoing(p *passage, r *http.Request, path, query string) *http.Request {
	p.out, p.url = *r, url.URL{Path: path, RawQuery: query, ForceQuery: r.URL.ForceQuery}
	out := &p.out
	out.URL = &p.url
	if plain, err := url.PathUnescape(path); err == nil {
		out.URL.Path, out.URL.RawPath = plain, path
	}
	if out.URL.EscapedPath() != path {
		out.URL.Opaque = path // Go would escape bytes that the client did not escape
	}
	out.RequestURI = ""
	g.passOn(p.header, r.Header)
	out.Header = p.header
	out.Trailer = nil
	out.TransferEncoding = nil
	out.Form, out.PostForm, out.MultipartForm = nil, nil, nil
	return out
}

// hop starts the span of the plugin's part, and sends the plugin the trace context.
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

// role returns the caller's role as plugins see it. An administrator's API key counts as an administrator only on the
// routes of administrators, and only with the scope for them.
func role(who reqctx.Caller, c Call) string {
	switch {
	case who.UserID == "":
		return "guest"
	case who.IsAdmin(), who.HasKey() && c.Admin && who.Role == reqctx.RoleAdmin && who.May(permission.UseExtensions):
		return "admin"
	}
	return "customer"
}

// staffRole returns the role of a caller who is staff and no administrator, on the routes of staff; empty for all
// others (contract 5.5).
func staffRole(who reqctx.Caller, route string) string {
	if route != CallerAdmin || who.UserID == "" || who.Role == reqctx.RoleUser || who.Role == reqctx.RoleAdmin {
		return ""
	}
	return string(who.Role)
}

func callerName(who reqctx.Caller, route string) string {
	if who.Service != "" {
		return CallerService
	}
	return route
}
