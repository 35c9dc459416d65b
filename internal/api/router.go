package httpapi

import (
	"context"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"stoa/internal/api/guard"
	"stoa/internal/api/keyed"
	"stoa/internal/api/limit"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/edge/bodies"
	"stoa/internal/html/locale"
)

var (
	errNoRoute = errs.New(errs.NotFound, "NOT_FOUND",
		"There is nothing at this address. See /docs for what there is.")
	errMethodNotAllowed = errs.New(errs.MethodNotAllowed, "METHOD_NOT_ALLOWED",
		"This address does not answer this method. See the Allow header.")
)

// themeApp passes a request to the shop's theme app. If served is false, nothing was written: there is no
// app, or it answered 404 where stoa has a page of its own.
type themeApp func(w http.ResponseWriter, r *http.Request, ownPage bool) (served bool, err error)

// recentCheck refuses a user whose last proof to be there lies back too long.
type recentCheck = func(ctx context.Context, userID, sessionID string) error

// router finds the route of a request, and wraps its handler in what its row in the list asks for.
type router struct {
	respond web.Responder
	auth    guard.Authenticator
	// recent refuses users whose last proof to be there lies back too long for a route.
	recent map[recency]recentCheck
	// rules reads the rules of accounts.
	rules  func(ctx context.Context) error
	limits limit.Counter
	// languages are those of pages and mails.
	languages *locale.Languages
	keys      keyed.Requests
	// platform admits plugins that have the permissions needs.
	platform func(h web.HandlerFunc, needs ...string) web.HandlerFunc
	// whileCaller ends a lasting answer whose caller loses access.
	whileCaller func(web.HandlerFunc) web.HandlerFunc
	// ownAuthorization reports whether Authorization is a plugin's own on a call to slug.
	ownAuthorization func(r *http.Request, slug string) (bool, error)
	// budget bounds the memory of bodies that handlers read; nil: no bound.
	budget *bodies.Budget
	// themeApp serves the shop's addresses, if there is an active theme app that has something there.
	themeApp themeApp
	// look reads what a page of the storefront depends on, and reports whether a theme app serves its
	// address. The page gets the request that it returns.
	look func(r *http.Request) (looked *http.Request, themeApp bool, err error)
	// missing is what people in a browser get at an address without a page.
	missing web.HandlerFunc
	// away is what they get at a page that cannot be served now.
	away web.PageOf

	mux *http.ServeMux
	// known has the same routes without the fallback, and so tells a wrong method
	// from a wrong path. Only the fallback asks it.
	known *http.ServeMux
	// calls are the routes to plugins, which the mux must not touch (calls.go).
	calls []pluginRoute
}

// register makes rt serve routes, and nothing else.
func (rt *router) register(routes []route) {
	rt.mux, rt.known = http.NewServeMux(), http.NewServeMux()
	rt.mux.HandleFunc("/", rt.fallback)
	for _, r := range routes {
		rt.add(r)
	}
}

// counted makes the body of a request count against the budget until it is answered: its
// handler holds all of it.
func (rt *router) counted(h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if rt.budget == nil || r.Body == nil || r.Body == http.NoBody {
			return h(w, r)
		}
		body := rt.budget.NewReader(r.Body)
		defer body.Release()
		r.Body = body
		return h(w, r)
	}
}

// requestTimeout is how long a request to the platform itself may take, its body
// included. Uploads and calls to plugins have limits of their own.
const requestTimeout = 30 * time.Second

// add registers a route.
func (rt *router) add(r route) {
	if r.call != nil {
		rt.addCall(r)
		return
	}
	_, address, ok := strings.Cut(r.pattern, " ")
	if !ok {
		address = r.pattern
	}
	handler := rt.answering(address, rt.serve(r, r.handler))
	rt.mux.Handle(r.pattern, handler)
	rt.known.Handle(r.pattern, handler)
}

// answering adapts h to net/http: its errors have the shape of their family, or are pages where
// people visit.
func (rt *router) answering(address string, h web.HandlerFunc) http.Handler {
	if !forPrograms(address) {
		h = rt.respond.OrPage(h, rt.away)
	}
	return rt.respond.Handle(web.FamilyOf(address), h)
}

// ServeHTTP dispatches to the route of r.
func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rt.servePlugin(w, r) {
		return
	}
	if unclean(r.URL.EscapedPath()) { // the mux would redirect to another address than the one asked for
		rt.notFound(w, r)
		return
	}
	rt.mux.ServeHTTP(w, r)
}

// fallback answers requests without a route: there is no such path, or the path
// has no such method.
func (rt *router) fallback(w http.ResponseWriter, r *http.Request) {
	r.Pattern = "" // this is no route

	if isShopPage(r.URL.Path) && rt.serveThemeApp(w, r) { // by a method that stoa's own page does not have
		return
	}
	h, _ := rt.known.Handler(r)
	probe := web.NewRecorder(make(http.Header)) // of what the mux means to answer
	defer probe.Release()
	h.ServeHTTP(probe, r)
	if probe.Status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", probe.Header().Get("Allow"))
		rt.respond.Fail(w, r, web.FamilyOf(r.URL.Path), errMethodNotAllowed)
		return
	}
	if !isOwn(r.URL.Path) && rt.serveThemeApp(w, r) {
		return
	}
	rt.notFound(w, r)
}

// serveThemeApp passes r to the shop's theme app, and reports whether it was served.
func (rt *router) serveThemeApp(w http.ResponseWriter, r *http.Request) (served bool) {
	rt.answering(r.URL.Path, func(w http.ResponseWriter, r *http.Request) (err error) {
		served, err = rt.themeApp(w, r, false)
		served = served || err != nil
		return err
	}).ServeHTTP(w, r)
	return served
}

// themeAppOr is a handler that passes requests to the shop's theme app, and those that it does not
// serve to h.
func (rt *router) themeAppOr(h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		r, app, err := rt.look(r)
		if err != nil {
			return err
		}
		if app {
			if served, err := rt.themeApp(w, r, true); served || err != nil {
				return err
			}
		}
		return withDeadline(requestTimeout, h)(w, r)
	}
}

// isShopPage reports whether an address is a page's that gives way to a theme app.
func isShopPage(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return slices.Contains([]string{"", "p", "checkout", "orders", "licenses", "account", "sign-in"}, first)
}

// Beginnings of addresses where stoa alone answers, whether there is a route or not.
var (
	programs = []string{"/api/", "/auth/", "/.well-known/"} // only programs ask there
	files    = []string{"/media/", "/themes/", "/theme-app/", "/assets/", "/console/", "/look/"}
)

// isOwn reports whether an address is stoa's, and no theme app gets it.
func isOwn(path string) bool { return forPrograms(path) || beginsWith(path, files) }

// forPrograms reports whether an address is among those of the API.
func forPrograms(path string) bool { return beginsWith(path, programs) }

func beginsWith(path string, all []string) bool {
	return slices.ContainsFunc(all, func(begin string) bool { return strings.HasPrefix(path, begin) })
}

// notFound answers a request for an address that does not exist: programs with an
// error, people with a page. Below the API's addresses there are only programs.
func (rt *router) notFound(w http.ResponseWriter, r *http.Request) {
	answer := web.ByReader(rt.missing, noRoute)
	if forPrograms(r.URL.Path) {
		answer = noRoute
	}
	rt.answering(r.URL.Path, answer).ServeHTTP(w, r)
}

// noRoute says that there is nothing at an address.
func noRoute(http.ResponseWriter, *http.Request) error { return errNoRoute }

// unclean reports whether a path, as it was sent, has empty or dot segments. A
// percent-encoded slash separates nothing: it is part of a name in the path.
func unclean(p string) bool {
	clean := path.Clean(p)
	if strings.HasSuffix(p, "/") && clean != "/" {
		clean += "/"
	}
	return clean != p
}
