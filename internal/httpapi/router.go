package httpapi

import (
	"net/http"
	"path"
	"strings"
	"time"
)

// router registers handlers with what all routes of a kind share: who may call,
// how long a request may take, and the shape of errors.
type router struct {
	server *Server
	mux    *http.ServeMux
	// known has the same routes without the fallback, and so knows a method that
	// is wrong from a path that is. Only the fallback asks it.
	known *http.ServeMux
	// calls are the routes to plugins, which the mux must not touch (gateway.go).
	calls []pluginRoute
	// patterns are those registered, for the test that compares them with
	// api/openapi.yaml.
	patterns []string
}

func newRouter(s *Server) *router {
	rt := &router{server: s, mux: http.NewServeMux(), known: http.NewServeMux()}
	rt.mux.HandleFunc("/", rt.fallback)
	return rt
}

// requestTimeout is how long a request to the platform itself may take, its body
// included. Uploads and calls to plugins have limits of their own.
const requestTimeout = 30 * time.Second

// open registers a route anyone may call. A bearer token is looked at all the
// same: with a valid one the handler sees the caller, with an invalid one the
// answer is 401, because a client that sent it does not mean to be a guest.
func (rt *router) open(pattern string, h handlerFunc) {
	rt.add(pattern, withDeadline(requestTimeout, rt.server.withCaller(h)))
}

// public registers a route that ignores bearer tokens, valid or not.
func (rt *router) public(pattern string, h handlerFunc) {
	rt.add(pattern, withDeadline(requestTimeout, h))
}

// user registers a route for signed-in users.
func (rt *router) user(pattern string, h handlerFunc) {
	rt.add(pattern, withDeadline(requestTimeout, rt.server.withCaller(requireUser(h))))
}

// admin registers a route for administrators and services.
func (rt *router) admin(pattern string, h handlerFunc) {
	rt.add(pattern, withDeadline(requestTimeout, rt.server.withCaller(requireAdmin(h))))
}

// adminUpload registers an administrator's route whose body may take a while.
func (rt *router) adminUpload(pattern string, limit time.Duration, h handlerFunc) {
	rt.add(pattern, withDeadline(limit, rt.server.withCaller(requireAdmin(h))))
}

// add registers a handler that looks after callers and deadlines itself.
func (rt *router) add(pattern string, h handlerFunc) {
	_, address, ok := strings.Cut(pattern, " ")
	if !ok {
		address = pattern
	}
	rt.patterns = append(rt.patterns, pattern)
	handler := rt.server.handle(familyOf(address), h)
	rt.mux.Handle(pattern, handler)
	rt.known.Handle(pattern, handler)
}

// ServeHTTP dispatches to the route of r.
func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rt.servePlugin(w, r) {
		return
	}
	if unclean(r.URL.EscapedPath()) { // the mux would redirect: to another address than was asked for
		rt.server.fail(w, r, familyOf(r.URL.Path), errNoRoute)
		return
	}
	rt.mux.ServeHTTP(w, r)
}

// fallback answers what no route takes, in the family's shape: that there is no
// such path, or no such method.
func (rt *router) fallback(w http.ResponseWriter, r *http.Request) {
	r.Pattern = "" // this is no route
	h, _ := rt.known.Handler(r)
	probe := probeWriter{header: make(http.Header)}
	h.ServeHTTP(&probe, r)
	err := errNoRoute
	if probe.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", probe.header.Get("Allow"))
		err = errMethodNotAllowed
	}
	rt.server.fail(w, r, familyOf(r.URL.Path), err)
}

// unclean reports whether a path, as it was sent, has empty or dot segments. What
// is percent-encoded is no separator: it is part of a name in the path.
func unclean(p string) bool {
	clean := path.Clean(p)
	if strings.HasSuffix(p, "/") && clean != "/" {
		clean += "/"
	}
	return clean != p
}

// probeWriter records what the mux meant to answer.
type probeWriter struct {
	header http.Header
	status int
}

func (p *probeWriter) Header() http.Header         { return p.header }
func (p *probeWriter) Write(b []byte) (int, error) { return len(b), nil }
func (p *probeWriter) WriteHeader(status int)      { p.status = status }
