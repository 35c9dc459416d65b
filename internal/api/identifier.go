package httpapi

import (
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"stoa/internal/api/web"
)

// unnamed stands for an identifier that is no text: ASCII's own character for one that cannot be
// represented. No id, slug, version or instance id may have a control character, so nothing has this
// name.
const unnamed = "\x1a"

// isText reports whether both databases can hold s as text. PostgreSQL refuses a statement with any
// other, which would be a fault of stoa's.
func isText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// wildcard matches the parameters of a pattern that are identifiers, unlike {path...}.
var wildcard = regexp.MustCompile(`\{(\w+)\}`)

// named lets the handler of r see an identifier of the path that is no text as one that nothing has, so
// that it answers as for any unknown one, on both databases (contract 1.2). No handler needs to check
// this.
func named(r route, h web.HandlerFunc) web.HandlerFunc {
	names := wildcard.FindAllStringSubmatch(r.pattern, -1)
	if len(names) == 0 || r.bytes {
		return h
	}
	return func(w http.ResponseWriter, req *http.Request) error {
		for _, name := range names {
			if !isText(req.PathValue(name[1])) {
				req.SetPathValue(name[1], unnamed)
			}
		}
		return h(w, req)
	}
}
