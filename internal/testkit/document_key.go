package testkit

import (
	"net/http"
	"slices"
	"strings"

	"stoa/internal/account/apikey"
)

// ofKey reports whether an answer is one that any operation may give to an API key, which the document says once, and
// returns it without the headers of the key's own limit.
func ofKey(req Request, res Response) (Response, bool) {
	if !apikey.Marked(req.Token) {
		return res, false
	}
	codes := map[int][]string{
		http.StatusForbidden:       {"NOT_FOR_KEYS", "FORBIDDEN"},
		http.StatusTooManyRequests: {"RATE_LIMIT_EXCEEDED"},
	}[res.Status]
	return withoutKeyLimit(req, res), slices.Contains(codes, errorCode(res.Body))
}

// withoutKeyLimit returns an answer to an API key without the headers of the key's own limit.
func withoutKeyLimit(req Request, res Response) Response {
	if !apikey.Marked(req.Token) || !strings.HasPrefix(res.Header.Get(policyHeader), `"api-key";`) {
		return res
	}
	res.Header = res.Header.Clone()
	res.Header.Del(policyHeader)
	res.Header.Del(limitHeader)
	return res
}
