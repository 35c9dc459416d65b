package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"stoa/internal/base/errs"
)

// OnlyParams reports query parameters other than page, limit and the given names. Without it, a mistyped
// filter would be ignored and the list show everything, which looks like a result. Only lists for
// administrators are that strict.
func OnlyParams(r *http.Request, faults *errs.Issues, names ...string) {
	NoParamsBut(r, faults, append([]string{"page", "limit"}, names...)...)
}

// NoParamsBut is OnlyParams for a list that has no pages.
func NoParamsBut(r *http.Request, faults *errs.Issues, names ...string) {
	for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
		if !slices.Contains(names, name) {
			faults.Add(name, errs.CodeUnknownValue, "This list has no such query parameter; it has %s.",
				strings.Join(names, ", "))
		}
	}
}

// ReadOnlyPage is OnlyPage for lists for administrators, which refuse unknown parameters.
func ReadOnlyPage(r *http.Request) (Page, error) {
	var faults errs.Issues
	OnlyParams(r, &faults)
	p := ReadPage(r, &faults)
	return p, faults.Err()
}
