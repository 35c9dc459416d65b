package gateway

import (
	"iter"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// lifecycle is the first segment of lifecycle hooks, which only the platform calls
// (contract 6.1). Clients cannot reach it.
const lifecycle = "__lifecycle"

// adminPages is the first segment of a plugin's paths for administrators (contract 5.1).
const adminPages = "admin"

// passable reports whether a path may be passed on to a plugin. path is escaped as the client
// sent it. admin means that the caller is known to be an administrator.
//
// The gateway and the plugin must read a path in the same way, or neither the ban on the
// plugin's /__lifecycle/ and /admin/ nor the permissions of routes would hold. So passable
// refuses everything that servers are known to disagree about, in any encoding: empty segments,
// dot segments, backslashes, control characters, fragments, and bytes that are not UTF-8. It also
// refuses blanks that are not encoded, which end a path in HTTP/1.1. It lets an encoded slash
// pass: both readings of it are checked. docs/plugins/gateway.md documents these rules.
func passable(path string, admin bool) bool {
	if !strings.HasPrefix(path, "/") || strings.Contains(path, "//") || strings.ContainsAny(path, `#\`) ||
		hasBlanks(path) {
		return false
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		plain, err := url.PathUnescape(segment)
		if err != nil || !utf8.ValidString(plain) || strings.ContainsFunc(plain, ambiguous) {
			return false
		}
	}
	// A proxy in front of the plugin may decode the path once more.
	for range maxDecodings {
		if hasForbiddenSegment(path) || !admin && beginsWith(path, adminPages) {
			return false
		}
		plain, err := url.PathUnescape(path)
		if err != nil || plain == path {
			return true
		}
		path = plain
	}
	return false
}

// maxDecodings bounds the work on a path such as %25252525…, which each decoding
// shortens by only two characters. Three layers of escapes pass.
const maxDecodings = 4

// reachesBelow reports whether the most lenient server would take a path for base or something
// below it, as sent or after any decoding. Both begin with a slash.
func reachesBelow(base, path string) bool {
	want := strings.Split(base[1:], "/")
	return slices.ContainsFunc(readingsOf(path), func(reading string) bool {
		rest := want
		for segment := range lenientSegments(reading) {
			switch {
			case isNamed(segment, ""):
				continue
			case !isNamed(segment, rest[0]):
				return false
			}
			if rest = rest[1:]; len(rest) == 0 {
				return true
			}
		}
		return false
	})
}

func ambiguous(c rune) bool { return c == '\\' || c < ' ' || c == 0x7f }

// hasForbiddenSegment looks for dot segments and for the lifecycle.
func hasForbiddenSegment(path string) bool {
	for segment := range lenientSegments(path) {
		if segment == "." || segment == ".." || isNamed(segment, lifecycle) {
			return true
		}
	}
	return false
}

// beginsWith reports whether the first segment has that name.
func beginsWith(path, name string) bool {
	for segment := range lenientSegments(path) {
		return isNamed(segment, name)
	}
	return false
}

// lenientSegments yields the segments of a path as the most lenient server would read them,
// without parameters. It skips empty segments and segments that consist of parameters only.
func lenientSegments(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for segment := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '/' || c == '\\' }) {
			if i := strings.IndexAny(segment, ";?#\x00"); i >= 0 {
				segment = segment[:i]
			}
			if segment != "" && !yield(segment) {
				return
			}
		}
	}
}

// isNamed compares as the most lenient server would: ignoring case and trailing dots and
// blanks.
func isNamed(segment, name string) bool {
	return strings.EqualFold(strings.TrimRight(segment, ". \t"), name)
}
