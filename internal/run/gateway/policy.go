package gateway

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"stoa/internal/extension/plugin"
)

// permitted reports whether the instance has all permissions that the manifest's
// routePermissions require for this route.
//
// A rule's method is compared without case; "*" is any method, and GET includes HEAD. Its path
// is the plugin's own. A segment ":name", "{name}" or "*" matches any one segment; "*" or "**"
// at the end matches any rest, even an empty one. Paths are compared without case and without a
// trailing slash, as sent and after each decoding, because a plugin may decode before it looks
// for its route. When in doubt a rule applies: a rule can only refuse.
func permitted(rules []plugin.RoutePermission, effective []string, method, path string) bool {
	var readings []string
	for _, rule := range rules {
		if slices.Contains(effective, rule.Permission) || !methodFits(rule.Method, method) {
			continue
		}
		if readings == nil {
			readings = readingsOf(path)
		}
		if slices.ContainsFunc(readings, func(reading string) bool { return pathFits(rule.Path, reading) }) {
			return false
		}
	}
	return true
}

// readingsOf returns a path as sent and after each decoding, when an encoded slash separates
// segments and an encoded question mark ends the path. A semicolon may end it, too: Fastify 4 takes
// it for a question mark, where other servers read a parameter of one segment.
func readingsOf(path string) []string {
	readings := upTo(";", path)
	for range maxDecodings {
		plain, err := url.PathUnescape(path)
		if err != nil || plain == path {
			break
		}
		path = plain
		readings = append(readings, upTo("?#;", path)...)
	}
	return readings
}

// upTo returns a path whole, and up to the first of each of the characters that it has.
func upTo(chars, path string) []string {
	readings := []string{path}
	for i := range chars {
		if before, _, found := strings.Cut(path, chars[i:i+1]); found {
			readings = append(readings, before)
		}
	}
	return readings
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

// segments splits a path as plugins read it: decoded, without parameters and empty
// segments.
func segments(path string) []string {
	list := strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
	for i, s := range list {
		if plain, err := url.PathUnescape(s); err == nil {
			s = plain
		}
		s, _, _ = strings.Cut(s, ";")
		list[i] = s
	}
	return list
}
