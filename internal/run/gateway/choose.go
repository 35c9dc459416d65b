package gateway

import (
	"net/http"
	"net/url"
	"strings"
)

// Names by which a client chooses an instance (contract 5.2).
const (
	headerID = "X-Installation-Id"
	paramID  = "installationId"
	paramKey = "installation"
)

// choose returns which instance r asks for: by the header, else by the id in the query, else
// by the key in the query, else none (contract 5.2). It also returns the query without these
// parameters, otherwise byte for byte.
//
// An id or key that is empty, or given twice with different values, names no instance: stoa
// does not guess which one the client meant.
func choose(r *http.Request) (by choice, query string) {
	ids, keys, query := splitQuery(r.URL.RawQuery)
	if header := r.Header[headerID]; len(header) > 0 {
		ids = header
	}
	switch {
	case len(ids) > 0:
		by.id, by.byID = ids[0], true
		by.failed = by.id == "" || !allEqual(ids)
	case len(keys) > 0:
		by.key = keys[0]
		by.failed = by.key == "" || !allEqual(keys)
	}
	return by, query
}

// splitQuery returns the parameters of a query that name an instance, and the rest.
func splitQuery(query string) (ids, keys []string, rest string) {
	if !strings.Contains(query, "nstallation") && !strings.Contains(query, "%") {
		return nil, nil, query
	}
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, nameErr := url.QueryUnescape(name)
		value, valueErr := url.QueryUnescape(value)
		if valueErr != nil {
			value = "" // which is no id and no key
		}
		switch {
		case nameErr == nil && name == paramID:
			ids = append(ids, value)
		case nameErr == nil && name == paramKey:
			keys = append(keys, value)
		default:
			kept = append(kept, pair)
		}
	}
	return ids, keys, strings.Join(kept, "&")
}

func allEqual(list []string) bool {
	for _, s := range list {
		if s != list[0] {
			return false
		}
	}
	return true
}
