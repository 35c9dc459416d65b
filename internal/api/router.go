package httpapi

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"stoa/internal/api/guard"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/edge/bodies"
)

var (
	errNoRoute = errs.New(errs.NotFound, "NOT_FOUND",
		"There is nothing at this address. See /docs for what there is.")
	errMethodNotAllowed = errs.New(errs.MethodNotAllowed, "METHOD_NOT_ALLOWED",
		"This address does not answer this method. See the Allow header.")
)

// router registers handlers with what all routes of a kind share: who may call,
// how long a request may take, and the shape of errors.
type router struct {
	respond web.Responder
	auth    guard.Authenticator
	mux     *http.ServeMux
	// budget bounds the memory of bodies that handlers read; nil: no bound.
	budget *bodies.Budget
	// known has the same routes without the fallback, and so tells a wrong method
	// from a wrong path. Only the fallback asks it.
	known *http.ServeMux
	// calls are the routes to plugins, which the mux must not touch (calls.go).
	calls []pluginRoute
	// patterns are those registered, for the test that compares them with
	// api/openapi.yaml.
	patterns []string
	// front serves what is none of stoa's own addresses, if anything does; nil: nothing.
	front func(w http.ResponseWriter, r *http.Request) (served bool, err error)
	// missing is what people in a browser get at an address without a page.
	missing web.HandlerFunc
}

func newRouter(respond web.Responder, auth guard.Authenticator, missing web.HandlerFunc) *router {
	rt := &router{respond: respond, auth: auth, missing: missing, mux: http.NewServeMux(), known: http.NewServeMux()}
	rt.mux.HandleFunc("/", rt.fallback)
	return rt
}

func (rt *router) identify(h web.HandlerFunc) web.HandlerFunc { return guard.Identify(rt.auth, h) }

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

// open registers a route for anyone. A bearer token is looked at all the same:
// with a valid one the handler sees the caller, with an invalid one the answer is
// 401, because a client that sends a token does not mean to be a guest.
func (rt *router) open(pattern string, h web.HandlerFunc) {
	rt.add(pattern, withDeadline(requestTimeout, rt.counted(rt.identify(h))))
}

// public registers a route that ignores bearer tokens, valid or not.
func (rt *router) public(pattern string, h web.HandlerFunc) {
	rt.add(pattern, withDeadline(requestTimeout, rt.counted(h)))
}

// user registers a route for signed-in users.
func (rt *router) user(pattern string, h web.HandlerFunc) {
	rt.add(pattern, withDeadline(requestTimeout, rt.counted(rt.identify(guard.RequireUser(h)))))
}

// admin registers a route for administrators and services.
func (rt *router) admin(pattern string, h web.HandlerFunc) {
	rt.add(pattern, withDeadline(requestTimeout, rt.counted(rt.identify(guard.RequireAdmin(h)))))
}

// adminUpload registers a route for administrators and services whose request may
// take up to limit.
func (rt *router) adminUpload(pattern string, limit time.Duration, h web.HandlerFunc) {
	rt.add(pattern, withDeadline(limit, rt.identify(guard.RequireAdmin(h))))
}

// adminStream registers a route for administrators and services whose answer may
// last. while ends it when its caller loses access.
func (rt *router) adminStream(pattern string, while wrap, h web.HandlerFunc) {
	rt.add(pattern, rt.identify(guard.RequireAdmin(while(h))))
}

// add registers a handler that takes care of callers and deadlines itself.
func (rt *router) add(pattern string, h web.HandlerFunc) {
	_, address, ok := strings.Cut(pattern, " ")
	if !ok {
		address = pattern
	}
	rt.patterns = append(rt.patterns, pattern)
	handler := rt.respond.Handle(web.FamilyOf(address), h)
	rt.mux.Handle(pattern, handler)
	rt.known.Handle(pattern, handler)
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

	if isShopPage(r.URL.Path) && rt.serveFront(w, r) { // by a method that stoa's own page does not have
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
	if !isOwn(r.URL.Path) && rt.serveFront(w, r) {
		return
	}
	rt.notFound(w, r)
}

// serveFront passes r to rt.front, and reports whether it was served.
func (rt *router) serveFront(w http.ResponseWriter, r *http.Request) (served bool) {
	if rt.front == nil {
		return false
	}
	rt.respond.Handle(web.FamilyOf(r.URL.Path), func(w http.ResponseWriter, r *http.Request) (err error) {
		served, err = rt.front(w, r)
		served = served || err != nil
		return err
	}).ServeHTTP(w, r)
	return served
}

// frontOr is a handler that passes requests to rt.front, and those it does not serve to h.
func (rt *router) frontOr(h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if rt.front != nil {
			if served, err := rt.front(w, r); served || err != nil {
				return err
			}
		}
		return withDeadline(requestTimeout, h)(w, r)
	}
}

// page registers a page of the storefront, which gives way to an active theme app.
func (rt *router) page(pattern string, h web.HandlerFunc) { rt.add(pattern, rt.frontOr(h)) }

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
	answer := web.ByReader(rt.missing, rt.noRoute)
	if forPrograms(r.URL.Path) {
		answer = rt.noRoute
	}
	rt.respond.Handle(web.FamilyOf(r.URL.Path), answer).ServeHTTP(w, r)
}

// noRoute says that there is nothing at an address.
func (rt *router) noRoute(http.ResponseWriter, *http.Request) error { return errNoRoute }

// unclean reports whether a path, as it was sent, has empty or dot segments. A
// percent-encoded slash separates nothing: it is part of a name in the path.
func unclean(p string) bool {
	clean := path.Clean(p)
	if strings.HasSuffix(p, "/") && clean != "/" {
		clean += "/"
	}
	return clean != p
}
