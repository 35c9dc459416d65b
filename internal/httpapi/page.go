package httpapi

import (
	"net/http"
	"strconv"
)

// The bounds of a page (CONTRACT 3).
const (
	defaultLimit = 20
	maxLimit     = 100
	maxPage      = 1_000_000 // keeps page*limit far from any overflow
)

// page is the part of a list that a request asks for.
type page struct {
	Number, Limit int
}

// readPage reads the parameters page and limit and notes what is wrong.
func readPage(r *http.Request, faults *issues) page {
	q := r.URL.Query()
	number := func(name string, fallback, highest int) int {
		if !q.Has(name) {
			return fallback
		}
		n, err := strconv.Atoi(q.Get(name))
		if err != nil || n < 1 || n > highest {
			faults.add(name, "invalid", "%s must be a whole number from 1 to %d.", name, highest)
			return fallback
		}
		return n
	}
	return page{Number: number("page", 1, maxPage), Limit: number("limit", defaultLimit, maxLimit)}
}

func (p page) offset() int { return (p.Number - 1) * p.Limit }

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
