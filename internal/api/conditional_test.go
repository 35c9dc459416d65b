package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// Whatever a caller says of the copy it has, or of the part it wants, the answer is one that the API
// document promises, to GET and HEAD alike.
func TestConditionalRequestsAreAnsweredAsDocumented(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	said := []struct{ name, value string }{
		{"If-Match", `"other"`},
		{"If-Match", `*`},
		{"If-Match", `not a tag`},
		{"If-None-Match", `*`},
		{"If-None-Match", `W/"other"`},
		{"If-Modified-Since", "Fri, 01 Mar 2030 12:00:00 GMT"},
		{"If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"},
		{"If-Range", `"other"`},
		{"Range", "bytes=0-1"},
		{"Range", "bytes=99999999-"},
		{"Range", "bytes=0-0,2-2"},
		{"Range", "bytes=nonsense"},
		{"Range", "lines=1-2"},
	}
	files := 0
	for _, op := range testkit.Operations(t) {
		if op.Method != http.MethodGet || op.Relayed || strings.HasSuffix(op.Path, "/logs") {
			continue
		}
		path := w.at(t, op, "", "")
		if strings.HasPrefix(path, "/themes/") {
			path = "/themes/shop/plain/1.0.0/theme.css"
		}
		for _, s := range said {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				req := w.request(t, op, path)
				req.Method, req.Header = method, http.Header{s.name: {s.value}}
				res := w.Do(t, req)
				if res.Status == http.StatusPreconditionFailed || res.Status == http.StatusRequestedRangeNotSatisfiable {
					files++
					for _, name := range []string{"Etag", "Cache-Control", "Content-Disposition"} {
						if res.Header.Get(name) != "" {
							t.Errorf("%s %s with %s: %s = %d with %s", method, path, s.name, s.value, res.Status, name)
						}
					}
				}
			}
		}
	}
	if files < 12 {
		t.Errorf("%d refusals of files; want some of archives, files of themes, and pictures", files)
	}
}
