package gateway

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"stoa/internal/plugin"
)

// permitted reports whether all permissions that the manifest's routePermissions
// demand on this route are effective.
//
// A rule's method is compared without case; "*" is any method, and GET includes
// HEAD. Its path is the plugin's own. A segment ":name", "{name}" or "*" stands for
// any one segment; "*" or "**" at the end stands for whatever follows, even nothing.
// Paths are compared decoded, without case and without a slash at the end: when in
// doubt a rule applies, because a rule that applies can only refuse.
func permitted(rules []plugin.RoutePermission, effective []string, method, path string) bool {
	for _, rule := range rules {
		if !slices.Contains(effective, rule.Permission) && methodFits(rule.Method, method) && pathFits(rule.Path, path) {
			return false
		}
	}
	return true
}

func methodFits(rule, method string) bool {
	return rule == "*" || strings.EqualFold(rule, method) ||
		strings.EqualFold(rule, http.MethodGet) && strings.EqualFold(method, http.MethodHead)
}

func pathFits(rule, path string) bool {
	want, got := segments(rule), segments(path)
	for i, w := range want {
		last := i == len(want)-1
		switch {
		case last && (w == "*" || w == "**"):
			return true
		case i >= len(got):
			return false
		case w == "*" || strings.HasPrefix(w, ":") || strings.HasPrefix(w, "{") && strings.HasSuffix(w, "}"):
		case !strings.EqualFold(w, got[i]):
			return false
		}
	}
	return len(want) == len(got)
}

// segments splits a path as plugins read it: decoded, without parameters.
func segments(path string) []string {
	list := strings.Split(strings.Trim(path, "/"), "/")
	for i, s := range list {
		if plain, err := url.PathUnescape(s); err == nil {
			s = plain
		}
		s, _, _ = strings.Cut(s, ";")
		list[i] = s
	}
	return list
}
