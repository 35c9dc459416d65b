package gateway

import (
	"net/http"

	"stoa/internal/base/errs"
	"stoa/internal/edge/http1"
)

// maxLines is how many header lines a client's request may have (contract 5.3). Some servers read
// only so many headers, Node.js a thousand, and ignore the others without a word: with enough lines
// of its own, a client could remove the platform's. Browsers send about twenty.
const maxLines = 256

// checkHead refuses requests whose head a plugin might not read as it was sent, or that cannot be
// sent at all: HTTP/2 has methods and targets that have no form in HTTP/1.1. They are the client's
// fault, so they must not count as failures of the plugin.
func checkHead(r *http.Request, c Call) error {
	lines := 0
	for _, values := range r.Header {
		lines += len(values)
	}
	switch {
	case lines > maxLines:
		return because(ErrManyLines, reasonLines)
	case !http1.IsToken(r.Method):
		return ErrMethod
	case !passable(c.Path, c.Admin), hasBlanks(r.URL.RawQuery):
		return because(ErrNotFound, reasonPath)
	}
	return nil
}

// hasBlanks reports whether a path or query has a byte that ends the target of a request, or that
// servers are known to disagree about.
func hasBlanks(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] == 0x7f {
			return true
		}
	}
	return false
}

// The answers to heads that are refused.
var (
	ErrManyLines = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "The request has more than 256 header lines.")
	ErrMethod    = errs.Malformed(errs.CodeMalformed, "The method of the request has characters that no method has.")
)
