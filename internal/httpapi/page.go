package httpapi

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
)

// The bounds of a page (CONTRACT 3).
const (
	defaultLimit = 20
	maxLimit     = 100
)

// page is the part of a list that a request asks for.
type page struct {
	Number, Limit int
}

// readPage reads the parameters page and limit and notes what is wrong. Empty, they
// count as absent, as forms send it. A page past the end is empty, however far: a
// number that no int holds is the largest one.
func readPage(r *http.Request, faults *issues) page {
	p := page{Number: 1, Limit: defaultLimit}
	q := r.URL.Query()
	if text := q.Get("page"); text != "" {
		n, err := strconv.Atoi(text)
		if errors.Is(err, strconv.ErrRange) && !strings.HasPrefix(text, "-") {
			err = nil // and n is the largest int
		}
		if err != nil || n < 1 {
			faults.add("page", "invalid", "page must be a whole number from 1.")
			n = 1
		}
		p.Number = n
	}
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxLimit {
			faults.add("limit", "invalid", "limit must be a whole number from 1 to %d.", maxLimit)
			n = defaultLimit
		}
		p.Limit = n
	}
	return p
}

// offset returns how many entries there are before the page, or the largest int
// for one that nobody ever gets to.
func (p page) offset() int {
	if p.Number-1 > math.MaxInt/p.Limit {
		return math.MaxInt
	}
	return (p.Number - 1) * p.Limit
}

// pagination is spec A's Pagination object.
type pagination struct {
	Page       int `json:"page"`
	Limit      int `json:"limit"`
	Total      int `json:"total"`
	TotalPages int `json:"totalPages"`
}

func (p page) of(total int) pagination {
	return pagination{Page: p.Number, Limit: p.Limit, Total: total, TotalPages: (total + p.Limit - 1) / p.Limit}
}

// list is a page of a list in the enveloped family (CONTRACT 4).
type list[T any] struct {
	Items      []T        `json:"items"`
	Pagination pagination `json:"pagination"`
}

// writeList answers with the items of a page of all there are.
func writeList[T, J any](w http.ResponseWriter, p page, found []T, total int, show func(T) J) {
	writeData(w, http.StatusOK, list[J]{Items: shown(found, show), Pagination: p.of(total)})
}

// shown returns what show makes of each. It is never nil: a list without entries
// is [].
func shown[T, J any](found []T, show func(T) J) []J {
	items := make([]J, len(found))
	for i, v := range found {
		items[i] = show(v)
	}
	return items
}
