package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"stoa/internal/gateway"
)

// callFunc serves one call of a plugin. rest is what follows the slug in the
// request line's path, as the client escaped it.
type callFunc func(w http.ResponseWriter, r *http.Request, slug, rest string) error

// pluginRoute is a route to plugins. The mux would redirect paths it finds
// unclean and decode what it matches; here the path is compared as it was sent,
// so that the plugin gets it as it was sent.
type pluginRoute struct {
	pattern string
	method  string // empty means any
	prefix  string // before the slug
	rest    string // after it: exactly, or its beginning if open
	open    bool

	guard func(handlerFunc) handlerFunc // who may call
	serve callFunc
}

// call registers a route to plugins for anyone. A bearer token is looked at as
// on router.open, and looked at again while the call lasts; there is no deadline,
// because streams may last.
func (rt *router) call(pattern string, serve callFunc) {
	rt.addCall(pattern, func(h handlerFunc) handlerFunc { return rt.server.withCaller(rt.server.whileCaller(h)) }, serve)
}

// adminCall registers a route to plugins for administrators and services.
func (rt *router) adminCall(pattern string, serve callFunc) {
	rt.addCall(pattern, func(h handlerFunc) handlerFunc {
		return rt.server.withCaller(requireAdmin(rt.server.whileCaller(h)))
	}, serve)
}

func (rt *router) addCall(pattern string, guard func(handlerFunc) handlerFunc, serve callFunc) {
	route := pluginRoute{pattern: pattern, guard: guard, serve: serve}
	path := pattern
	if method, p, ok := strings.Cut(pattern, " "); ok {
		route.method, path = method, p
	}
	route.prefix, route.rest, _ = strings.Cut(path, "{slug}")
	route.rest, route.open = strings.CutSuffix(route.rest, "{path...}")
	rt.patterns = append(rt.patterns, pattern)
	rt.calls = append(rt.calls, route)
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

// servePlugin serves r if its path is one of a route to plugins.
func (rt *router) servePlugin(w http.ResponseWriter, r *http.Request) bool {
	path := r.URL.RawPath // as sent, where Go would have escaped otherwise
	if path == "" {
		path = r.URL.EscapedPath()
	}
	for _, route := range rt.calls {
		slug, rest, ok := route.match(path)
		if !ok {
			continue
		}
		r.Pattern = route.pattern
		h := func(w http.ResponseWriter, r *http.Request) error {
			if allowed := route.methods(); !slices.Contains(allowed, r.Method) && !route.anyBut(r.Method) {
				w.Header().Set("Allow", strings.Join(allowed, ", "))
				return errMethodNotAllowed
			}
			return route.serve(w, r, slug, rest)
		}
		rt.server.handle(enveloped, route.guard(h)).ServeHTTP(w, r)
		return true
	}
	return false
}

// methods returns what the Allow header says.
func (p pluginRoute) methods() []string {
	if p.method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
	}
}

// anyBut reports whether a route for any method takes this one, too. CONNECT is
// for proxies, and an answer to TRACE would show the client what the platform
// tells the plugin.
func (p pluginRoute) anyBut(method string) bool {
	return p.method == "" && !strings.EqualFold(method, http.MethodConnect) && !strings.EqualFold(method, http.MethodTrace)
}

// shopCall serves ANY /api/v1/shop/plugins/{slug}/api/* and GET …/health.
func (s *Server) shopCall(w http.ResponseWriter, r *http.Request, slug, rest string) error {
	return s.Gateway.Serve(w, r, gateway.Call{Slug: slug, Path: rest, Caller: gateway.CallerShop})
}

// legacyCall serves ANY /api/extensions/plugin/{slug}/api/{path}, which reaches
// the plugin's /{path}, as it always did.
func (s *Server) legacyCall(w http.ResponseWriter, r *http.Request, slug, rest string) error {
	return s.Gateway.Serve(w, r, gateway.Call{Slug: slug, Path: strings.TrimPrefix(rest, "/api"), Caller: gateway.CallerShop})
}

// adminCall serves ANY /api/v1/admin/plugins/{slug}/api/*.
func (s *Server) adminCall(w http.ResponseWriter, r *http.Request, slug, rest string) error {
	return s.Gateway.Serve(w, r, gateway.Call{Slug: slug, Path: rest, Caller: gateway.CallerAdmin})
}
