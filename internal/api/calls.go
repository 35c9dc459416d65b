package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"stoa/internal/api/guard"
	"stoa/internal/api/web"
	"stoa/internal/base/permission"
)

// callFunc serves one call to a plugin. rest is the part of the path after the slug. Both are as the
// client escaped them.
type callFunc func(w http.ResponseWriter, r *http.Request, slug, rest string) error

// pluginRoute is a route to plugins. http.ServeMux would redirect unclean paths and decode the path;
// pluginRoute compares the path as it was sent, so that the plugin gets it unchanged.
type pluginRoute struct {
	pattern string
	method  string // empty means any
	prefix  string // before the slug
	rest    string // after it: exactly, or its beginning if open
	open    bool

	handler http.Handler
}

func (rt *router) addCall(r route) {
	matched := pluginRoute{pattern: r.pattern}
	path := r.pattern
	if method, p, ok := strings.Cut(r.pattern, " "); ok {
		matched.method, path = method, p
	}
	matched.prefix, matched.rest, _ = strings.Cut(path, "{slug}")
	matched.rest, matched.open = strings.CutSuffix(matched.rest, "{path...}")
	call := func(w http.ResponseWriter, req *http.Request) error {
		slug, rest, _ := matched.match(sentPath(req)) // matching again is cheaper than passing them here
		if r.by == staffMembers {
			if err := guard.CheckStaff(req.Context(), permission.UseExtensions, permission.UsePlugin(slug)); err != nil {
				return err
			}
		}
		if allowed := matched.methods(); !slices.Contains(allowed, req.Method) && !matched.anyBut(req.Method) {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			return errMethodNotAllowed
		}
		if !isText(slug) { // percent-encoded, it is
			slug = unnamed
		}
		return r.call(w, req, slug, rest)
	}
	h := rt.serve(r, call)
	if r.by == guestsToo {
		h = rt.unlessPlugins(matched, r, h, call)
	}
	served := matched // with its handler
	served.handler = rt.respond.Handle(web.Enveloped, h)
	rt.calls = append(rt.calls, served)
}

// unlessPlugins returns a handler that leaves a request to h, which identifies the caller, unless
// Authorization belongs to the plugin: then call serves it, as everyone's.
func (rt *router) unlessPlugins(matched pluginRoute, r route, h, call web.HandlerFunc) web.HandlerFunc {
	r.by = anyone
	unread := rt.serve(r, call)
	return func(w http.ResponseWriter, req *http.Request) error {
		if len(req.Header["Authorization"]) == 0 {
			return h(w, req)
		}
		slug, _, _ := matched.match(sentPath(req))
		switch plugins, err := rt.ownAuthorization(req, slug); {
		case err != nil:
			return err
		case plugins:
			return unread(w, req)
		}
		return h(w, req)
	}
}

// match returns the slug and the rest of a path of this route, both as sent.
func (p pluginRoute) match(path string) (slug, rest string, ok bool) {
	tail, ok := strings.CutPrefix(path, p.prefix)
	if !ok {
		return "", "", false
	}
	slash := strings.IndexByte(tail, '/')
	if slash <= 0 {
		return "", "", false
	}
	slug, rest = tail[:slash], tail[slash:]
	if p.open {
		return slug, rest, strings.HasPrefix(rest, p.rest)
	}
	return slug, rest, rest == p.rest
}

// servePlugin serves r if its path belongs to a route to plugins, and reports
// whether it did.
func (rt *router) servePlugin(w http.ResponseWriter, r *http.Request) bool {
	path := sentPath(r)
	for i := range rt.calls {
		route := &rt.calls[i]
		if _, _, ok := route.match(path); ok {
			r.Pattern = route.pattern
			route.handler.ServeHTTP(w, r)
			return true
		}
	}
	return false
}

// sentPath returns the path of r as it was sent, where Go would have escaped otherwise.
func sentPath(r *http.Request) string {
	if r.URL.RawPath != "" {
		return r.URL.RawPath
	}
	return r.URL.EscapedPath()
}

// methods returns the methods that the Allow header lists.
func (p pluginRoute) methods() []string {
	if p.method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{
		http.MethodGet, http.MethodHead, http.MethodPost,
		http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
	}
}

// anyBut reports whether a route for any method serves this one. It excludes CONNECT, which is for
// proxies, and TRACE, whose answer would show the client the headers that the platform sends.
func (p pluginRoute) anyBut(method string) bool {
	return p.method == "" && !strings.EqualFold(method, http.MethodConnect) &&
		!strings.EqualFold(method, http.MethodTrace)
}
