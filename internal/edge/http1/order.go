package http1

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
)

const (
	// usualHeaders is how many headers are sorted without an allocation.
	usualHeaders = 48
	// Only one in learnOneIn new orders is kept: requests with different names may alternate, and
	// keeping an order costs more than sorting.
	learnOneIn = 16
)

// lastOrders has a recent order of names for each number of headers: most requests have the same
// names as an earlier one.
var lastOrders [usualHeaders + 1]atomic.Pointer[[]string]

// appendHeaders appends h to b, shorter names first.
func appendHeaders(b []byte, h http.Header) ([]byte, error) {
	if len(h) <= usualHeaders {
		if last := lastOrders[len(h)].Load(); last != nil {
			if all, complete, err := appendInOrder(b, h, *last, true); complete || err != nil {
				return all, err
			}
		}
	}
	var few [usualHeaders]string
	names := sorted(h, few[:0])
	b, _, err := appendInOrder(b, h, names, false)
	if err == nil && len(h) <= usualHeaders && rand.Uint32N(learnOneIn) == 0 { //nolint:gosec // no secret
		kept := make([]string, len(names))
		for i, name := range names {
			kept[i] = strings.Clone(name) // else it keeps the whole request in memory
		}
		lastOrders[len(h)].Store(&kept)
	}
	return b, err
}

// appendInOrder appends those of the headers that have these names. known says that the names were
// checked before. It is incomplete if one of them is missing in h.
func appendInOrder(b []byte, h http.Header, names []string, known bool) (_ []byte, complete bool, err error) {
	for _, name := range names {
		values, ok := h[name]
		if !ok {
			return b, false, nil
		}
		switch name {
		case "Host", "Content-Length", "Transfer-Encoding", "Trailer":
			continue
		case "User-Agent":
			if len(values) == 0 || values[0] == "" {
				continue
			}
			values = values[:1]
		}
		if !known && !IsToken(name) {
			return b, false, fmt.Errorf("%w: header %q", ErrUnsendable, name)
		}
		for _, value := range values {
			if !isValue(value) {
				return b, false, fmt.Errorf("%w: value of %s", ErrUnsendable, name)
			}
			b = append(b, name...)
			b = append(b, ": "...)
			b = append(b, value...)
			b = append(b, "\r\n"...)
		}
	}
	return b, true, nil
}

func sorted(h http.Header, names []string) []string {
	for name := range h {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { // mostly without comparing bytes
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return names
}
