package testkit

import (
	"fmt"
	"regexp"
)

// The headers of a limited operation (IETF draft, RateLimit header fields).
const (
	policyHeader = "Ratelimit-Policy"
	limitHeader  = "Ratelimit"
)

var (
	policyPattern = regexp.MustCompile(`^"[a-z-]+";q=(\d+);w=(\d+)$`)
	limitPattern  = regexp.MustCompile(`^"[a-z-]+";r=\d+;t=\d+$`)
)

// checkLimit checks the rate limit headers of an answer against the operation's
// x-rate-limit, and returns the answer without them. They are optional, because a server
// may have no rate limits.
func checkLimit(operation map[string]any, res Response) (Response, error) {
	policy, limit := res.Header.Get(policyHeader), res.Header.Get(limitHeader)
	stated, limited := operation["x-rate-limit"].(map[string]any)
	if !limited || policy == "" && limit == "" {
		return res, nil
	}
	m := policyPattern.FindStringSubmatch(policy)
	if m == nil || !limitPattern.MatchString(limit) {
		return res, fmt.Errorf("rate limit headers are %q and %q", policy, limit)
	}
	also, _ := stated["also"].(map[string]any) // of some requests
	is := func(limit map[string]any) bool {
		return m[1] == fmt.Sprint(limit["limit"]) && m[2] == fmt.Sprint(limit["window"])
	}
	if !is(stated) && !is(also) {
		return res, fmt.Errorf("the document promises %v requests in %v s, the answer says %s", stated["limit"],
			stated["window"], policy)
	}
	header := res.Header.Clone()
	header.Del(policyHeader)
	header.Del(limitHeader)
	res.Header = header
	return res, nil
}
