package gateway

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// lifecycle is where the platform itself calls a plugin (spec B, Events). Clients
// cannot reach it.
const lifecycle = "__lifecycle"

// passable reports whether a path is passed on to a plugin. path begins with a
// slash and is escaped as the client sent it.
//
// The gateway and the plugin must read a path in the same way, or neither the ban on
// the plugin's /__lifecycle/ nor the permissions of routes would hold. So everything
// that servers are known to disagree about is refused, in any encoding: empty
// segments, dot segments, backslashes, control characters, fragments, and bytes
// that are not UTF-8. An encoded slash passes: both readings of it are checked.
// docs/plugins/gateway.md tells clients.
func passable(path string) bool {
	if !strings.HasPrefix(path, "/") || strings.Contains(path, "//") || strings.ContainsAny(path, `#\`) {
		return false
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		plain, err := url.PathUnescape(segment)
		if err != nil || !utf8.ValidString(plain) || strings.ContainsFunc(plain, ambiguous) {
			return false
		}
	}
	// A plugin behind another proxy may get the path decoded once more.
	for range maxDecodings {
		if hasForbiddenSegment(path) {
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

// reachesBelow reports whether a path would reach base or something below it, as sent or
// after any decoding, as the most careless server would read it. Both begin with a slash.
func reachesBelow(base, path string) bool {
	want := carelessSegments(base)
	return slices.ContainsFunc(readingsOf(path), func(reading string) bool {
		got := carelessSegments(reading)
		return len(got) >= len(want) && slices.EqualFunc(want, got[:len(want)], strings.EqualFold)
	})
}

// carelessSegments splits a path into segments without parameters, trailing dots and
// blanks, and leaves out what is empty then.
func carelessSegments(path string) []string {
	list := strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' })
	for i, segment := range list {
		if end := strings.IndexAny(segment, ";?#\x00"); end >= 0 {
			segment = segment[:end]
		}
		list[i] = strings.TrimRight(segment, ". \t")
	}
	return slices.DeleteFunc(list, func(segment string) bool { return segment == "" })
}

func ambiguous(c rune) bool { return c == '\\' || c < ' ' || c == 0x7f }

// hasForbiddenSegment looks for dot segments and for the lifecycle as the most
// careless server would read them: in any case, and without parameters, trailing
// dots and blanks.
func hasForbiddenSegment(path string) bool {
	for segment := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '/' || c == '\\' }) {
		if i := strings.IndexAny(segment, ";?#\x00"); i >= 0 {
			segment = segment[:i]
		}
		if segment == "." || segment == ".." || strings.EqualFold(strings.TrimRight(segment, ". \t"), lifecycle) {
			return true
		}
	}
	return false
}
