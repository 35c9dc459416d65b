package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/base/paging"
)

// The bounds of a Page (contract 1.9).
const (
	defaultLimit = 20
	maxLimit     = 100
)

// Page is the part of a list that a request asks for.
type Page struct {
	Number, Limit int
}

// ReadPage reads the parameters page and limit and reports what is wrong with
// them. An empty parameter counts as absent, because forms send it. A page past
// the end is empty, however far: a number too large for an int is the largest
// int.
func ReadPage(r *http.Request, faults *errs.Issues) Page {
	p := Page{Number: 1, Limit: defaultLimit}
	q := r.URL.Query()
	if text := q.Get("page"); text != "" {
		n, err := strconv.Atoi(text)
		if errors.Is(err, strconv.ErrRange) && !strings.HasPrefix(text, "-") {
			err = nil // and n is the largest int
		}
		if err != nil || n < 1 {
			faults.Add("page", NumberCode(err), "page must be a whole number from 1.")
			n = 1
		}
		p.Number = n
	}
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxLimit {
			faults.Add("limit", NumberCode(err), "limit must be a whole number from 1 to %d.", maxLimit)
			n = defaultLimit
		}
		p.Limit = n
	}
	return p
}

// NumberCode returns the code for a number that is refused: err is what package
// strconv returned, or nil for a number outside its range.
func NumberCode(err error) string {
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return errs.CodeOutOfRange
	}
	return errs.CodeWrongType
}

// OnlyPage is ReadPage for lists that have no other parameters.
func OnlyPage(r *http.Request) (Page, error) {
	var faults errs.Issues
	p := ReadPage(r, &faults)
	return p, faults.Err()
}

// Offset returns the number of entries before the page. See paging.Offset for pages past every end.
func (p Page) Offset() int { return paging.Offset(p.Number, p.Limit) }

// Pagination says which page of how many a list is (contract 1.9).
type Pagination struct {
	Page       int `json:"page"`
	Limit      int `json:"limit"`
	Total      int `json:"total"`
	TotalPages int `json:"totalPages"`
}

// Of returns the Pagination of p in a list of total entries.
func (p Page) Of(total int) Pagination {
	return Pagination{Page: p.Number, Limit: p.Limit, Total: total, TotalPages: (total + p.Limit - 1) / p.Limit}
}

// list is a page of a list in the enveloped family (contract 1.9).
type list[T any] struct {
	Items      []T        `json:"items"`
	Pagination Pagination `json:"pagination"`
}

// WriteList answers with the page p of a list of total entries, each as show
// makes it.
func WriteList[T, J any](w http.ResponseWriter, p Page, found []T, total int, show func(T) J) {
	WriteData(w, http.StatusOK, list[J]{Items: Items(found, show), Pagination: p.Of(total)})
}

// Items returns what show makes of each entry. It is never nil: on the wire a
// list without entries is [].
func Items[T, J any](found []T, show func(T) J) []J {
	items := make([]J, len(found))
	for i, v := range found {
		items[i] = show(v)
	}
	return items
}
