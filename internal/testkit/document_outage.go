package testkit

import (
	"errors"
	"net/http"
	"slices"
	"strings"
)

// outages are the codes that any address may answer with 503.
var outages = []string{"STORAGE_FULL", "DATABASE_UNAVAILABLE", "BUSY"}

// isOutage reports whether an answer says that stoa lacks what it stands on.
func isOutage(res Response) bool {
	return res.Status == http.StatusServiceUnavailable &&
		(slices.Contains(outages, errorCode(res.Body)) || strings.HasPrefix(res.Header.Get("Content-Type"), "text/html"))
}

// isStandInRefusal reports whether an answer refuses somebody who acts as somebody else, as every route may that reads
// a token.
func isStandInRefusal(res Response) bool {
	code := errorCode(res.Body)
	return res.Status == http.StatusForbidden && (code == "IMPERSONATION_READ_ONLY" || code == "IMPERSONATION_FORBIDDEN")
}

// checkOutage checks an answer for which isOutage is true. People get a page.
func (c *apiDocument) checkOutage(path string, res Response) error {
	problems := []error{c.checkHeader("#/components/headers/RetryAfter", "Retry-After", res)}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		problems = append(problems, c.checkHeader("#/components/headers/RequestId", "X-Request-Id", res))
	} else {
		problems = append(problems, c.checkPlainError(path, res, errorCode(res.Body)))
	}
	return errors.Join(problems...)
}
